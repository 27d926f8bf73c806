"""Attacks on membership, one module each, on arrays that one pass over the texts gave."""
