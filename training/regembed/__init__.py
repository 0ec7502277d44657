"""Training of RegReader's built-in static sentence embedding.

The modules follow the data's life: `tokens` (text to rows), `pools` (what is
trained on), `vocab` (which rows exist), `teachers`, `static` (the table and its
training), `sets`, `bm25` and `fusion` (what is measured), `table` (the file that ships).
"""
