#include "trace.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>
#include <unordered_set>

namespace cleartitle {

namespace {

constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15u;

std::uint64_t mix(std::uint64_t value) {
    value ^= value >> 32;
    value *= 0xD6E8FEB86659FD93u;
    value ^= value >> 32;
    value *= 0xD6E8FEB86659FD93u;
    value ^= value >> 32;
    return value;
}

// Bytes read in little-endian order, so that every machine gives the same values.
std::uint64_t load(const std::uint8_t *bytes, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    }
    return value;
}

std::uint64_t hash_word(const std::uint8_t *bytes, std::size_t size) {
    std::uint64_t value = size * multiplier;
    while (size >= 8) {
        value = mix(value ^ load(bytes, 8)) * multiplier;
        bytes += 8;
        size -= 8;
    }
    return mix(value ^ load(bytes, size));
}

enum Kind : std::uint8_t { blank, letter, digit, sign };

constexpr std::array<Kind, 256> make_kinds() {
    std::array<Kind, 256> kinds{};
    for (int byte = 0; byte < 256; ++byte) {
        const bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
                               byte == '$' || byte >= 0x80;
        if (is_letter) {
            kinds[byte] = letter;
        } else if (byte >= '0' && byte <= '9') {
            kinds[byte] = digit;
        } else if (byte <= ' ' || byte == 0x7F || byte == '\'' || byte == '"' || byte == '`' || byte == '#' ||
                   byte == '\\') {
            kinds[byte] = blank;
        } else {
            kinds[byte] = sign;
        }
    }
    return kinds;
}

constexpr std::array<Kind, 256> kinds = make_kinds();

// Reserved words of Python, C, C++, Java and C#, as far as no program in one of the others is likely to use them
// as a name. They survive a renaming, so they stay in the blind stream.
constexpr auto keywords = std::to_array<std::string_view>({
    "abstract", "and",      "assert",   "async",    "await",     "bool",     "boolean",  "break",     "byte",
    "case",     "catch",    "char",     "class",    "const",     "continue", "def",      "default",   "del",
    "delete",   "do",       "double",   "elif",     "else",      "enum",     "except",   "extends",   "extern",
    "False",    "false",    "final",    "finally",  "float",     "for",      "from",     "global",    "goto",
    "if",       "implements", "import", "in",       "include",   "instanceof", "int",    "interface", "is",
    "lambda",   "long",     "namespace", "new",     "None",      "nonlocal", "not",      "null",      "nullptr",
    "or",       "pass",     "private",  "protected", "public",   "raise",    "return",   "short",     "sizeof",
    "static",   "struct",   "switch",   "template", "this",      "throw",    "True",     "true",      "try",
    "unsigned", "void",     "while",    "yield",
});

const std::unordered_set<std::uint64_t> &keyword_hashes() {
    static const std::unordered_set<std::uint64_t> hashes = [] {
        std::unordered_set<std::uint64_t> found;
        for (const std::string_view word : keywords) {
            found.insert(hash_word(reinterpret_cast<const std::uint8_t *>(word.data()), word.size()));
        }
        return found;
    }();
    return hashes;
}

// A small open-addressing copy of the set: the stream asks it for every short word.
struct KeywordTable {
    std::array<std::uint64_t, 512> slots{};
    KeywordTable() {
        for (const std::uint64_t hash : keyword_hashes()) {
            std::size_t slot = hash & 511;
            while (slots[slot] != 0) {
                slot = (slot + 1) & 511;
            }
            slots[slot] = hash;
        }
    }
    bool has(std::uint64_t hash) const {
        for (std::size_t slot = hash & 511; slots[slot] != 0; slot = (slot + 1) & 511) {
            if (slots[slot] == hash) {
                return true;
            }
        }
        return false;
    }
};

constexpr bool closes(std::uint8_t byte) { return byte == ')' || byte == ']' || byte == '}'; }

}  // namespace

void words(const std::uint8_t *text, std::size_t size, Words &out) {
    static const KeywordTable table;
    const std::size_t guess = size / 4 + 16;
    out.starts.reserve(guess);
    out.ends.reserve(guess);
    out.exact.reserve(guess);
    out.blind.reserve(guess);
    bool comma = false;
    std::size_t at = 0;
    while (at < size) {
        const std::uint8_t byte = text[at];
        const Kind kind = kinds[byte];
        if (kind == blank) {
            ++at;
            continue;
        }
        const std::size_t start = at++;
        std::uint64_t exact = 0;
        std::uint64_t blind = 0;
        if (kind == letter) {
            while (at < size && (kinds[text[at]] == letter || kinds[text[at]] == digit)) {
                ++at;
            }
            exact = hash_word(text + start, at - start);
            blind = at - start <= 10 && table.has(exact) ? exact : blind_identifier;
        } else if (kind == digit) {
            while (at < size && (kinds[text[at]] == letter || kinds[text[at]] == digit ||
                                 (text[at] == '.' && at + 1 < size && kinds[text[at + 1]] == digit))) {
                ++at;
            }
            exact = hash_word(text + start, at - start);
            blind = blind_number;
        } else {
            const std::uint8_t next = at < size ? text[at] : 0;
            if ((byte == '/' && (next == '/' || next == '*')) || (byte == '*' && next == '/')) {
                ++at;
                continue;
            }
            if (comma && closes(byte)) {
                out.starts.pop_back();
                out.ends.pop_back();
                out.exact.pop_back();
                out.blind.pop_back();
            }
            exact = hash_word(text + start, 1);
            blind = exact;
        }
        comma = byte == ',';
        out.starts.push_back(static_cast<std::uint32_t>(start));
        out.ends.push_back(static_cast<std::uint32_t>(at));
        out.exact.push_back(exact);
        out.blind.push_back(blind);
    }
}

void grams(const std::uint64_t *symbols, std::size_t count, std::size_t k, std::vector<std::uint64_t> &out) {
    if (count < k) {
        return;
    }
    std::uint64_t highest = 1;
    for (std::size_t i = 1; i < k; ++i) {
        highest *= multiplier;
    }
    out.resize(count - k + 1);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < k; ++i) {
        value = value * multiplier + symbols[i];
    }
    out[0] = mix(value);
    for (std::size_t i = k; i < count; ++i) {
        value = (value - symbols[i - k] * highest) * multiplier + symbols[i];
        out[i - k + 1] = mix(value);
    }
}

void renamed_grams(const std::uint64_t *exact, const std::uint64_t *blind, std::size_t count, std::size_t k,
                   std::vector<std::uint64_t> &out) {
    if (count < k) {
        return;
    }
    // How many words ago the same identifier stood, and in how many it stands again; 0 where a run is too short to see.
    std::vector<std::uint32_t> back(count, 0), again(count, 0);
    std::size_t slots = 64;
    while (slots < 2 * count) {
        slots *= 2;
    }
    std::vector<std::uint32_t> last(slots, 0);  // latest place + 1 of an identifier
    for (std::size_t i = 0; i < count; ++i) {
        if (blind[i] != blind_identifier) {
            continue;
        }
        std::size_t slot = exact[i] & (slots - 1);
        while (last[slot] != 0 && exact[last[slot] - 1] != exact[i]) {
            slot = (slot + 1) & (slots - 1);
        }
        const std::size_t before = last[slot];
        if (before != 0 && i + 1 - before < k) {
            back[i] = again[before - 1] = static_cast<std::uint32_t>(i + 1 - before);
        }
        last[slot] = static_cast<std::uint32_t>(i + 1);
    }
    // Small numbers stand for identifiers; symbols are hashes, and the two do not meet.
    const auto symbol = [&](std::size_t i, std::uint64_t distance) {
        return blind[i] == blind_identifier ? distance * 2 + 16 : blind[i];
    };
    std::vector<std::uint64_t> powers(k, 1);  // of the word at each place of a run, from its last
    for (std::size_t i = 1; i < k; ++i) {
        powers[i] = powers[i - 1] * multiplier;
    }
    out.resize(count - k + 1);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < k; ++i) {
        value = value * multiplier + symbol(i, back[i]);
    }
    out[0] = mix(value);
    for (std::size_t start = 0; start + k < count; ++start) {
        value -= symbol(start, 0) * powers[k - 1];
        if (again[start] != 0) {  // what stood a known way behind its like is now the first of them
            value -= std::uint64_t{again[start]} * 2 * powers[k - 1 - again[start]];
        }
        value = value * multiplier + symbol(start + k, back[start + k]);
        out[start + 1] = mix(value);
    }
}

void winnow(const std::uint64_t *grams, std::size_t count, std::size_t w, std::vector<std::uint32_t> &out) {
    if (count == 0) {
        return;
    }
    const std::size_t window = std::min(w, count);
    std::size_t least = 0;
    for (std::size_t end = window; end <= count; ++end) {
        const std::size_t start = end - window;
        if (start == 0 || least < start) {
            least = start;
            for (std::size_t i = start + 1; i < end; ++i) {
                if (grams[i] <= grams[least]) {
                    least = i;
                }
            }
            out.push_back(static_cast<std::uint32_t>(least));
        } else if (grams[end - 1] < grams[least]) {
            least = end - 1;
            out.push_back(static_cast<std::uint32_t>(least));
        }
    }
}

void sort_pairs(std::uint64_t *keys, std::uint32_t *values, std::size_t count) {
    constexpr std::size_t radix = 2048;
    constexpr int digits = 6;
    std::vector<std::uint64_t> other_keys(count);
    std::vector<std::uint32_t> other_values(count);
    std::vector<std::size_t> counts(radix * digits, 0);
    for (std::size_t i = 0; i < count; ++i) {
        for (int digit = 0; digit < digits; ++digit) {
            ++counts[digit * radix + ((keys[i] >> (11 * digit)) & (radix - 1))];
        }
    }
    std::uint64_t *from = keys, *to = other_keys.data();
    std::uint32_t *from_values = values, *to_values = other_values.data();
    for (int digit = 0; digit < digits; ++digit) {
        std::size_t *count_of = counts.data() + digit * radix;
        if (count > 0 && count_of[(from[0] >> (11 * digit)) & (radix - 1)] == count) {
            continue;  // all keys agree in this digit
        }
        std::size_t sum = 0;
        for (std::size_t value = 0; value < radix; ++value) {
            const std::size_t here = count_of[value];
            count_of[value] = sum;
            sum += here;
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t target = count_of[(from[i] >> (11 * digit)) & (radix - 1)]++;
            to[target] = from[i];
            to_values[target] = from_values[i];
        }
        std::swap(from, to);
        std::swap(from_values, to_values);
    }
    if (from != keys) {
        std::copy(from, from + count, keys);
        std::copy(from_values, from_values + count, values);
    }
}

namespace {

struct Probe {
    std::size_t block;
    std::uint64_t bits;
};

Probe probe(std::uint64_t key, std::size_t blocks) {
    const std::uint64_t hash = mix(key * multiplier);
    // The upper half chooses the block; the key itself, mixed again, the bits.
    const auto block = static_cast<std::size_t>(((hash >> 32) * blocks) >> 32);
    return {block, mix(hash + multiplier)};
}

}  // namespace

void filter_add(std::uint64_t *filter, std::size_t blocks, const std::uint64_t *keys, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const Probe found = probe(keys[i], blocks);
        // One bit in each of six words of the block.
        for (std::size_t word = 0; word < 6; ++word) {
            filter[found.block * 8 + word] |= std::uint64_t{1} << ((found.bits >> (6 * word)) & 63);
        }
    }
}

void select_postings(const std::uint64_t *keys, const std::uint32_t *words, std::size_t count,
                     const std::uint64_t *starts, std::size_t documents, std::uint64_t mask, std::size_t cap,
                     std::size_t per_document, std::uint64_t *filter, std::size_t blocks, Selected &out) {
    out.keys.reserve(count);
    out.words.reserve(count);
    std::size_t next = 0;
    for (std::size_t first = 0; first < count; first = next) {
        const std::uint64_t key = keys[first] & mask;
        next = first + 1;
        while (next < count && (keys[next] & mask) == key) {
            ++next;
        }
        filter_add(filter, blocks, &key, 1);
        const std::size_t kept = out.keys.size();
        std::size_t held_by = 0, within = 0;
        std::uint64_t from = 1, to = 0;  // words of the document at hand
        for (std::size_t i = first; i < next; ++i) {
            if (words[i] < from || words[i] >= to) {
                ++held_by;
                within = 0;
                if (next - first > 1) {
                    const std::uint64_t *after = std::upper_bound(starts, starts + documents, std::uint64_t{words[i]});
                    from = after == starts ? 0 : after[-1];
                    to = after == starts + documents ? ~std::uint64_t{0} : *after;
                }
            }
            if (within++ < per_document) {
                out.keys.push_back(key);
                out.words.push_back(words[i]);
            }
        }
        if (held_by > cap) {
            out.keys.resize(kept);
            out.words.resize(kept);
            out.common.push_back(key);
            out.documents.push_back(static_cast<std::uint32_t>(held_by));
        }
    }
}

bool filter_has(const std::uint64_t *filter, std::size_t blocks, std::uint64_t key) {
    const Probe found = probe(key, blocks);
    for (std::size_t word = 0; word < 6; ++word) {
        if (!((filter[found.block * 8 + word] >> ((found.bits >> (6 * word)) & 63)) & 1)) {
            return false;
        }
    }
    return true;
}

void look_up(const std::uint64_t *keys, std::size_t count, const std::uint64_t *filter, std::size_t blocks,
             const std::uint64_t *table, std::size_t bits, const std::uint32_t *rests, std::size_t postings,
             std::uint64_t *starts, std::uint32_t *lengths) {
    const std::uint64_t known = ~std::uint64_t{0} << (32 - bits);
    for (std::size_t i = 0; i < count; ++i) {
        starts[i] = 0;
        lengths[i] = 0;
        const std::uint64_t key = keys[i] & known;
        if (blocks > 0 && !filter_has(filter, blocks, key)) {
            continue;
        }
        const std::size_t bucket = bits == 0 ? 0 : static_cast<std::size_t>(key >> (64 - bits));
        const std::uint64_t first = table[bucket], last = table[bucket + 1];
        if (first > last || last > postings) {
            continue;
        }
        const auto rest = static_cast<std::uint32_t>((key << bits) >> 32);
        const auto range = std::equal_range(rests + first, rests + last, rest);
        starts[i] = static_cast<std::uint64_t>(range.first - rests);
        lengths[i] = static_cast<std::uint32_t>(range.second - range.first);
    }
}

void extend(const std::uint64_t *left, std::size_t left_size, const std::uint64_t *right, std::size_t right_size,
            const std::uint32_t *left_seeds, const std::uint32_t *right_seeds, std::size_t seeds,
            std::vector<Run> &out) {
    // Seeds by diagonal, then by position: one run covers all its seeds.
    std::vector<std::size_t> order(seeds);
    for (std::size_t i = 0; i < seeds; ++i) {
        order[i] = i;
    }
    const auto diagonal = [&](std::size_t i) {
        return static_cast<std::int64_t>(right_seeds[i]) - static_cast<std::int64_t>(left_seeds[i]);
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return diagonal(a) != diagonal(b) ? diagonal(a) < diagonal(b) : left_seeds[a] < left_seeds[b];
    });
    bool any = false;
    std::int64_t last_diagonal = 0;
    std::size_t covered = 0;  // end of the last run on this diagonal, on the left side
    for (const std::size_t i : order) {
        std::size_t l = left_seeds[i], r = right_seeds[i];
        if (l >= left_size || r >= right_size || left[l] != right[r]) {
            continue;
        }
        if (any && diagonal(i) == last_diagonal && l < covered) {
            continue;
        }
        std::size_t end_l = l + 1, end_r = r + 1;
        while (end_l < left_size && end_r < right_size && left[end_l] == right[end_r]) {
            ++end_l;
            ++end_r;
        }
        while (l > 0 && r > 0 && left[l - 1] == right[r - 1]) {
            --l;
            --r;
        }
        out.push_back({static_cast<std::uint32_t>(l), static_cast<std::uint32_t>(r),
                       static_cast<std::uint32_t>(end_l - l)});
        any = true;
        last_diagonal = diagonal(i);
        covered = end_l;
    }
}

}  // namespace cleartitle
