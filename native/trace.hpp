#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cleartitle {

// What an identifier and a number look like once their names are gone.
constexpr std::uint64_t blind_identifier = 1;
constexpr std::uint64_t blind_number = 2;

struct Words {
    std::vector<std::uint32_t> starts, ends;   // bytes
    std::vector<std::uint64_t> exact, blind;   // symbols
};

// The stateless word stream of a text of less than 2^32 bytes: identifiers, numbers and single signs, also inside
// strings and comments. Blanks, quotes, backslashes, comment signs, and a comma before a closing bracket are dropped.
// `exact` hashes each word; `blind` is the same for keywords and signs, and one symbol for all identifiers and one
// for all numbers.
void words(const std::uint8_t *text, std::size_t size, Words &out);

// Hash of each run of k symbols. Returns count - k + 1 values, or none.
void grams(const std::uint64_t *symbols, std::size_t count, std::size_t k, std::vector<std::uint64_t> &out);

// The same for runs whose identifiers are told apart by where in the run they occurred before, and by nothing else:
// equal under any consistent renaming.
void renamed_grams(const std::uint64_t *exact, const std::uint64_t *blind, std::size_t count, std::size_t k,
                   std::vector<std::uint64_t> &out);

// Positions of the grams that winnowing keeps: of each window of w grams one with the least hash. Fewer grams than a
// window are one window.
void winnow(const std::uint64_t *grams, std::size_t count, std::size_t w, std::vector<std::uint32_t> &out);

// Sorts pairs by key and, within a key, by value (radix sort; `keys` and `values` change in place).
void sort_pairs(std::uint64_t *keys, std::uint32_t *values, std::size_t count);

// Blocked Bloom filter: 512-bit blocks, eight bits a key. `filter` has 8 * blocks words.
void filter_add(std::uint64_t *filter, std::size_t blocks, const std::uint64_t *keys, std::size_t count);
bool filter_has(const std::uint64_t *filter, std::size_t blocks, std::uint64_t key);

struct Selected {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> words;
    std::vector<std::uint64_t> common;     // keys
    std::vector<std::uint32_t> documents;  // how many hold each of them
};

// What an index keeps of sorted postings: `keys` count as far as `mask` goes, `starts` are the first words of the
// documents. A key in more than `cap` documents is common and keeps no posting; of another one at most `per_document`
// postings a document stay. All keys enter the filter.
void select_postings(const std::uint64_t *keys, const std::uint32_t *words, std::size_t count,
                     const std::uint64_t *starts, std::size_t documents, std::uint64_t mask, std::size_t cap,
                     std::size_t per_document, std::uint64_t *filter, std::size_t blocks, Selected &out);

// For each key the range of postings: `table` has 2^bits + 1 offsets by the upper bits of a key, `rests` the next 32
// bits of each posting's key, sorted within a bucket; further bits of a key do not count. Offsets beyond `postings` count as damage and match nothing.
void look_up(const std::uint64_t *keys, std::size_t count, const std::uint64_t *filter, std::size_t blocks,
             const std::uint64_t *table, std::size_t bits, const std::uint32_t *rests, std::size_t postings,
             std::uint64_t *starts, std::uint32_t *lengths);

struct Run {
    std::uint32_t left, right, length;
};

// Maximal runs of equal symbols through the given seeds (left[i], right[i]); each run once.
void extend(const std::uint64_t *left, std::size_t left_size, const std::uint64_t *right, std::size_t right_size,
            const std::uint32_t *left_seeds, const std::uint32_t *right_seeds, std::size_t seeds,
            std::vector<Run> &out);

}  // namespace cleartitle
