"""Names for people of what tables call by short names."""

__all__ = ["CLASS_TITLES"]

CLASS_TITLES = {
    "public_domain": "public domain",
    "permissive": "permissive",
    "weak_copyleft": "weak copyleft",
    "strong_copyleft": "strong copyleft",
    "restricted": "restricted",
}
