//! Question sets, metrics, reports
