#include "winnowing.hpp"

#include <algorithm>

namespace cleartitle {

namespace {

constexpr std::uint64_t modulus = 33554393;  // the largest prime below 2^25
constexpr std::uint64_t base = 4194301;      // the largest prime below 2^22

}  // namespace

void winnow(const std::uint32_t *values, std::size_t length, std::size_t k, std::size_t window,
            std::vector<Fingerprint> &fingerprints) {
    if (length < k) {
        return;
    }
    std::uint64_t power = 1;
    for (std::size_t i = 1; i < k; ++i) {
        power = power * base % modulus;
    }
    const std::size_t grams = length - k + 1;
    std::vector<std::uint32_t> hashes(grams);
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < length; ++i) {
        if (i >= k) {
            hash = (hash + modulus - values[i - k] % modulus * power % modulus) % modulus;
        }
        hash = (hash * base + values[i]) % modulus;
        if (i + 1 >= k) {
            hashes[i + 1 - k] = static_cast<std::uint32_t>(hash);
        }
    }
    std::size_t smallest = 0;
    fingerprints.push_back({hashes[0], 0});
    for (std::size_t i = 1; i < grams; ++i) {
        if (smallest + window > i) {
            if (hashes[i] > hashes[smallest]) {
                continue;
            }
            smallest = i;
        } else {
            // The smallest one left the window. As in Dolos the newest hash takes its place only when it is smaller
            // than all others, and of those the rightmost wins.
            smallest = i;
            for (std::size_t j = i + 1 - window; j < i; ++j) {
                if (hashes[j] <= hashes[smallest]) {
                    smallest = j;
                }
            }
        }
        fingerprints.push_back({hashes[smallest], static_cast<std::uint32_t>(smallest)});
    }
}

void shared_counts(const std::uint32_t *hashes, const std::uint64_t *offsets, std::size_t sequences, std::size_t first,
                   std::size_t last, std::uint32_t *counts) {
    struct Posting {
        std::uint32_t hash;
        std::uint32_t sequence;
        std::uint32_t count;
    };
    std::vector<Posting> postings;
    postings.reserve(sequences == 0 ? 0 : offsets[sequences]);
    std::vector<std::uint32_t> sorted;
    for (std::size_t f = 0; f < sequences; ++f) {
        sorted.assign(hashes + offsets[f], hashes + offsets[f + 1]);
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t start = 0, stop = 0; start < sorted.size(); start = stop) {
            while (stop < sorted.size() && sorted[stop] == sorted[start]) {
                ++stop;
            }
            postings.push_back({sorted[start], static_cast<std::uint32_t>(f), static_cast<std::uint32_t>(stop - start)});
        }
    }
    std::sort(postings.begin(), postings.end(), [](const Posting &a, const Posting &b) {
        return a.hash != b.hash ? a.hash < b.hash : a.sequence < b.sequence;
    });
    // Each posting of a row with where the later sequences of its hash stand.
    struct Later {
        std::uint32_t own;
        std::uint32_t begin;
        std::uint32_t end;
    };
    std::vector<std::vector<Later>> later(last - first);
    for (std::size_t start = 0, stop = 0; start < postings.size(); start = stop) {
        while (stop < postings.size() && postings[stop].hash == postings[start].hash) {
            ++stop;
        }
        for (std::size_t p = start; p + 1 < stop; ++p) {
            const std::uint32_t sequence = postings[p].sequence;
            if (sequence >= first && sequence < last) {
                later[sequence - first].push_back(
                    {postings[p].count, static_cast<std::uint32_t>(p + 1), static_cast<std::uint32_t>(stop)});
            }
        }
    }
    for (std::size_t row = first; row < last; ++row) {
        const std::size_t columns = sequences - row - 1;
        std::fill(counts, counts + 2 * columns, 0);
        for (const Later &entry : later[row - first]) {
            for (std::uint32_t p = entry.begin; p < entry.end; ++p) {
                std::uint32_t *pair = counts + 2 * (postings[p].sequence - row - 1);
                pair[0] += entry.own;
                pair[1] += postings[p].count;
            }
        }
        counts += 2 * columns;
    }
}

}  // namespace cleartitle
