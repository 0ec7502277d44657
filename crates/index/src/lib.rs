//! Keyword, vector and hybrid search
