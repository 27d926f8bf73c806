#include "ngrams.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace cleartitle {

namespace {

constexpr std::uint64_t kMersennePrime = (std::uint64_t{1} << 61) - 1;

// x mod (2^61 - 1) without a division: x = hi * 2^61 + lo, and 2^61 is 1 modulo the prime.
inline std::uint64_t mod_mersenne(std::uint64_t x) {
    const std::uint64_t folded = (x & kMersennePrime) + (x >> 61);
    return folded >= kMersennePrime ? folded - kMersennePrime : folded;
}

// Start positions of all n-grams, sorted by the grams themselves.
std::vector<std::uint32_t> sorted_grams(const std::uint32_t *tokens, std::size_t length, std::size_t n) {
    std::vector<std::uint32_t> starts(length - n + 1);
    std::iota(starts.begin(), starts.end(), 0U);
    std::sort(starts.begin(), starts.end(), [tokens, n](std::uint32_t x, std::uint32_t y) {
        return std::lexicographical_compare(tokens + x, tokens + x + n, tokens + y, tokens + y + n);
    });
    return starts;
}

}  // namespace

void minhash(const std::uint32_t *grams, std::size_t count, const std::uint64_t *a, const std::uint64_t *b,
             std::size_t permutations, std::uint32_t *minima) {
    std::fill(minima, minima + permutations, 0xFFFFFFFFU);
    for (std::size_t g = 0; g < count; ++g) {
        const std::uint64_t h = grams[g];
        for (std::size_t p = 0; p < permutations; ++p) {
            const auto value = static_cast<std::uint32_t>(mod_mersenne(a[p] * h + b[p]));
            minima[p] = std::min(minima[p], value);
        }
    }
}

std::size_t clipped_matches(const std::uint32_t *reference, std::size_t reference_length,
                            const std::uint32_t *candidate, std::size_t candidate_length, std::size_t n) {
    if (n == 0 || reference_length < n || candidate_length < n) {
        return 0;
    }
    const auto left = sorted_grams(reference, reference_length, n);
    const auto right = sorted_grams(candidate, candidate_length, n);
    std::size_t matches = 0;
    // A merge of the two sorted multisets is their intersection: min(count, count) for each gram.
    for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
        const std::uint32_t *x = reference + left[i];
        const std::uint32_t *y = candidate + right[j];
        if (std::lexicographical_compare(x, x + n, y, y + n)) {
            ++i;
        } else if (std::lexicographical_compare(y, y + n, x, x + n)) {
            ++j;
        } else {
            ++matches;
            ++i;
            ++j;
        }
    }
    return matches;
}

}  // namespace cleartitle
