"""Messages between the service and its search processes: a little-endian uint32 with the length, then the bytes."""

import struct

__all__ = ["LENGTH"]

LENGTH = struct.Struct("<I")
