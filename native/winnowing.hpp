#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cleartitle {

struct Fingerprint {
    std::uint32_t hash;
    std::uint32_t start;
};

// Winnowing (Schleimer, Wilkerson and Aiken 2003) as Dolos does it: rolling hashes modulo 33554393 of `k` (>= 1)
// values, of every `window` (>= 1) neighboring ones the rightmost smallest, also of the shorter windows at the start.
void winnow(const std::uint32_t *values, std::size_t length, std::size_t k, std::size_t window,
            std::vector<Fingerprint> &fingerprints);

// For each pair of the sequences `hashes[offsets[f] .. offsets[f+1])` whose first member is `first` to `last` - 1 and
// whose second one comes after it, row by row: how many values of the first occur in the second, and how many of the
// second in the first.
void shared_counts(const std::uint32_t *hashes, const std::uint64_t *offsets, std::size_t sequences, std::size_t first,
                   std::size_t last, std::uint32_t *counts);

}  // namespace cleartitle
