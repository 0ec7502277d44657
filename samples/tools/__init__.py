"""Makes the sample regulations: markup -> PDF, DOCX, truth."""
