#include "sha1.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "vector.hpp"

namespace cleartitle {

namespace {

// Digests are computed side by side, one a lane: rounds of SHA-1 depend on each other, lanes do not.
constexpr std::size_t kLanes = 16;
constexpr std::size_t kBlock = 64;
constexpr std::size_t kPadding = 9;
using Lanes = std::array<std::uint32_t, kLanes>;
using State = std::array<Lanes, 5>;
constexpr std::array<std::uint32_t, 5> kInitial = {0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};

// The four kinds of round of FIPS 180-4, section 4.1.1, with the constants of section 4.2.1.
template <int Kind>
CLEARTITLE_INLINE std::uint32_t mix(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    if constexpr (Kind == 0) {
        return ((b & c) | (~b & d)) + 0x5A827999U;
    } else if constexpr (Kind == 1) {
        return (b ^ c ^ d) + 0x6ED9EBA1U;
    } else if constexpr (Kind == 2) {
        return ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDCU;
    } else {
        return (b ^ c ^ d) + 0xCA62C1D6U;
    }
}

template <int Kind>
CLEARTITLE_INLINE void one_round(Lanes &a, Lanes &b, Lanes &c, Lanes &d, Lanes &e, const Lanes &w) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        e[lane] += std::rotl(a[lane], 5) + mix<Kind>(b[lane], c[lane], d[lane]) + w[lane];
        b[lane] = std::rotl(b[lane], 30);
    }
}

// After five rounds every variable has its old role again, so that nothing is moved.
template <int Kind>
CLEARTITLE_INLINE void twenty_rounds(State &state, const Lanes *w) {
    auto &[a, b, c, d, e] = state;
    for (std::size_t t = 0; t < 20; t += 5) {
        one_round<Kind>(a, b, c, d, e, w[t]);
        one_round<Kind>(e, a, b, c, d, w[t + 1]);
        one_round<Kind>(d, e, a, b, c, w[t + 2]);
        one_round<Kind>(c, d, e, a, b, w[t + 3]);
        one_round<Kind>(b, c, d, e, a, w[t + 4]);
    }
}

CLEARTITLE_INLINE Lanes mixed(const Lanes &p, const Lanes &q, const Lanes &r, const Lanes &s) {
    Lanes word;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        word[lane] = std::rotl(p[lane] ^ q[lane] ^ r[lane] ^ s[lane], 1);
    }
    return word;
}

// Adds one block to each lane; `words` holds its 16 big-endian words and has room for the other 64.
CLEARTITLE_VECTOR void absorb(State &state, std::array<Lanes, 80> &words) {
    for (std::size_t t = 16; t < 80; ++t) {
        words[t] = mixed(words[t - 3], words[t - 8], words[t - 14], words[t - 16]);
    }
    State next = state;
    twenty_rounds<0>(next, words.data());
    twenty_rounds<1>(next, words.data() + 20);
    twenty_rounds<2>(next, words.data() + 40);
    twenty_rounds<3>(next, words.data() + 60);
    for (std::size_t i = 0; i < state.size(); ++i) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            state[i][lane] += next[i][lane];
        }
    }
}

std::uint32_t swap_bytes(std::uint32_t x) {
    return (x >> 24) | ((x >> 8) & 0xFF00U) | ((x << 8) & 0xFF0000U) | (x << 24);
}

std::size_t blocks_of(std::size_t size) { return (size + kPadding + kBlock - 1) / kBlock; }

// Block `number` of the padded message: the bytes, a one bit, zeros, and the length in bits in the last block.
void fill_block(const std::uint8_t *message, std::size_t size, std::size_t number, std::array<Lanes, 80> &words,
                std::size_t lane) {
    std::array<std::uint8_t, kBlock> block{};
    const std::size_t from = number * kBlock;
    if (from < size) {
        std::memcpy(block.data(), message + from, std::min(kBlock, size - from));
    }
    if (from <= size && size - from < kBlock) {
        block[size - from] = 0x80;
    }
    if (number + 1 == blocks_of(size)) {
        const std::uint64_t bits = static_cast<std::uint64_t>(size) * 8;
        for (std::size_t i = 0; i < 8; ++i) {
            block[kBlock - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
        }
    }
    for (std::size_t t = 0; t < 16; ++t) {
        words[t][lane] = (static_cast<std::uint32_t>(block[4 * t]) << 24) |
                         (static_cast<std::uint32_t>(block[4 * t + 1]) << 16) |
                         (static_cast<std::uint32_t>(block[4 * t + 2]) << 8) | block[4 * t + 3];
    }
}

}  // namespace

void sha1_prefixes(const std::uint8_t *data, const std::uint64_t *starts, const std::uint64_t *ends, std::size_t count,
                   std::uint32_t *prefixes) {
    std::array<Lanes, 80> words{};
    for (std::size_t first = 0; first < count; first += kLanes) {
        const std::size_t lanes = std::min(kLanes, count - first);
        State state;
        for (std::size_t i = 0; i < state.size(); ++i) {
            state[i].fill(kInitial[i]);
        }
        std::size_t longest = 0;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            longest = std::max(longest, blocks_of(ends[first + lane] - starts[first + lane]));
        }
        for (std::size_t number = 0; number < longest; ++number) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const std::uint64_t start = starts[first + lane];
                const std::size_t size = ends[first + lane] - start;
                if (number < blocks_of(size)) {
                    fill_block(data + start, size, number, words, lane);
                }
            }
            absorb(state, words);
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                if (number + 1 == blocks_of(ends[first + lane] - starts[first + lane])) {
                    prefixes[first + lane] = swap_bytes(state[0][lane]);
                }
            }
        }
    }
}

}  // namespace cleartitle
