#include "ngrams.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "vector.hpp"

namespace cleartitle {

namespace {

constexpr std::size_t kLanes = 16;
constexpr std::uint64_t kMersennePrime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint32_t kNone = 0xFFFFFFFFU;

// Exact map from 64-bit keys to small numbers, by open addressing.
class Numbers {
public:
    explicit Numbers(std::size_t expected)
        : slots_(std::bit_ceil(std::max<std::size_t>(expected * 2, 16))), mask_(slots_.size() - 1) {}

    void clear() {
        std::fill(slots_.begin(), slots_.end(), Slot{});
        used_ = 0;
    }

    // The number of `key`; a new key gets the next one.
    std::uint32_t add(std::uint64_t key) {
        Slot &slot = slots_[place(key)];
        if (slot.number == kNone) {
            slot = {key, used_++};
        }
        return slot.number;
    }

    // The number of `key`, or kNone.
    std::uint32_t find(std::uint64_t key) const { return slots_[place(key)].number; }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t number = kNone;
    };

    // The finalizer of splitmix64: every bit of the key reaches every bit of the place.
    std::size_t place(std::uint64_t key) const {
        std::uint64_t hash = key;
        hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9U;
        hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBU;
        std::size_t at = (hash ^ (hash >> 31)) & mask_;
        while (slots_[at].number != kNone && slots_[at].key != key) {
            at = (at + 1) & mask_;
        }
        return at;
    }

    std::vector<Slot> slots_;
    std::size_t mask_;
    std::uint32_t used_ = 0;
};

std::uint64_t key_of(std::uint32_t shorter, std::uint32_t token) {
    return (static_cast<std::uint64_t>(shorter) << 32) | token;
}

// Minima of kLanes permutations over all grams: their parameters stay in registers.
CLEARTITLE_VECTOR void minima_of_lanes(const std::uint32_t *grams, std::size_t count, const std::uint64_t *a,
                                       const std::uint64_t *b, std::uint32_t *minima) {
    std::array<std::uint64_t, kLanes> low;
    low.fill(kNone);
    for (std::size_t g = 0; g < count; ++g) {
        const std::uint64_t h = grams[g];
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const std::uint64_t x = a[lane] * h + b[lane];
            // x mod (2^61 - 1) without a division or a branch. 2^61 is 1 modulo the prime, so the upper bits
            // are added to the lower ones. The sum exceeds the prime by 7 at most; where it does, or equals it,
            // subtracting 2^61 - 1 is adding 1 as far as the lower 32 bits go.
            const std::uint64_t folded = (x & kMersennePrime) + (x >> 61);
            const std::uint64_t value = (folded + ((folded + 1) >> 61)) & 0xFFFFFFFFU;
            low[lane] = value < low[lane] ? value : low[lane];
        }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        minima[lane] = static_cast<std::uint32_t>(low[lane]);
    }
}

}  // namespace

void minhash(const std::uint32_t *grams, std::size_t count, const std::uint64_t *a, const std::uint64_t *b,
             std::size_t permutations, std::uint32_t *minima) {
    std::size_t done = 0;
    for (; done + kLanes <= permutations; done += kLanes) {
        minima_of_lanes(grams, count, a + done, b + done, minima + done);
    }
    if (done == permutations) {
        return;
    }
    std::array<std::uint64_t, kLanes> last_a{};
    std::array<std::uint64_t, kLanes> last_b{};
    std::array<std::uint32_t, kLanes> last{};
    std::copy(a + done, a + permutations, last_a.begin());
    std::copy(b + done, b + permutations, last_b.begin());
    minima_of_lanes(grams, count, last_a.data(), last_b.data(), last.data());
    std::copy_n(last.begin(), permutations - done, minima + done);
}

void clipped_matches(const std::uint32_t *reference, std::size_t reference_length, const std::uint32_t *candidate,
                     std::size_t candidate_length, std::size_t orders, std::uint64_t *matches) {
    std::fill(matches, matches + orders, 0U);
    // At each start the number of the gram seen so far; a longer gram is that number and one more token.
    std::vector<std::uint32_t> left(reference_length, 0);
    std::vector<std::uint32_t> right(candidate_length, 0);
    std::vector<std::uint32_t> counts(reference_length);
    Numbers numbers(reference_length);
    for (std::size_t n = 1; n <= orders && n <= reference_length && n <= candidate_length; ++n) {
        numbers.clear();
        std::fill(counts.begin(), counts.end(), 0U);
        for (std::size_t i = 0; i + n <= reference_length; ++i) {
            left[i] = numbers.add(key_of(left[i], reference[i + n - 1]));
            ++counts[left[i]];
        }
        for (std::size_t j = 0; j + n <= candidate_length; ++j) {
            if (right[j] == kNone) {
                continue;
            }
            right[j] = numbers.find(key_of(right[j], candidate[j + n - 1]));
            if (right[j] != kNone && counts[right[j]] > 0) {
                --counts[right[j]];
                ++matches[n - 1];
            }
        }
        if (matches[n - 1] == 0) {
            return;
        }
    }
}

}  // namespace cleartitle
