#pragma once

#include <cstddef>
#include <cstdint>

namespace cleartitle {

// Minima of `permutations` linear hashes over `count` gram hashes, as in
// datasketch 1.x: ((a*h + b) mod 2^64) mod (2^61 - 1), lower 32 bits.
// An empty input leaves every minimum at 2^32 - 1.
void minhash(const std::uint32_t *grams, std::size_t count, const std::uint64_t *a, const std::uint64_t *b,
             std::size_t permutations, std::uint32_t *minima);

// For each n from 1 to `orders`: the number of n-grams of `candidate` that also occur in
// `reference`, each counted at most as often as it occurs there (the clipped count of BLEU).
// Time and memory grow linearly with the lengths, which must be below 2^32 - 1.
void clipped_matches(const std::uint32_t *reference, std::size_t reference_length, const std::uint32_t *candidate,
                     std::size_t candidate_length, std::size_t orders, std::uint64_t *matches);

}  // namespace cleartitle
