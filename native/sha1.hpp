#pragma once

#include <cstddef>
#include <cstdint>

namespace cleartitle {

// For each of `count` stretches of `data`, from starts[i] to ends[i]: the first four bytes of its
// SHA-1 digest (FIPS 180-4), read as a little-endian number.
void sha1_prefixes(const std::uint8_t *data, const std::uint64_t *starts, const std::uint64_t *ends, std::size_t count,
                   std::uint32_t *prefixes);

}  // namespace cleartitle
