//! Agents
