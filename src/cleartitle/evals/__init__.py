"""Evaluations of models: one folder a benchmark, and what they share."""
