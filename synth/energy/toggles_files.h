// SPDX-License-Identifier: Apache-2.0
// The files of toggles.cpp.
//
// NETS is text, one item a line. Delays are in ticks. A gate comes after the gates that drive it:
//   nets N | gate OUT DELAY SHORTEST TRUTH INPUT... | flop Q D DELAY INVERTED ENABLE
//   input NET DELAY | sample NET
//   period TICKS
//   TRUTH: 0 or 1 for all rows of inputs. Row i, from 0, has the inputs that spell i, the first
//   input the lowest bit. A gate has kInputs inputs at most. Nets 0 and 1 are constants.
//   ENABLE: the enable of the flip-flop's clock gate; net 1 if it has none.
// STIMULUS: words: cycles, count[cycle], then for each cycle its changes: `count` pairs of
// an input and its new word. The highest bit of a count says that transitions and ones of
// the cycle are counted.
// RESULT: words toggles[net], ones[net], then count[cycle] and the changes of the
// samples, as in STIMULUS. All inputs and samples are 0 before the first cycle, and so is
// the state of all flip-flops.
#ifndef FP8MAC_TOGGLES_FILES_H
#define FP8MAC_TOGGLES_FILES_H

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using Word = uint64_t;

constexpr size_t kInputs = 8; // of a gate

struct Gate {
    uint32_t out, delay, shortest;
    std::string truth; // '0' or '1' for each row
    std::vector<uint32_t> in;
};

struct Flop {
    uint32_t q, d, delay, inverted, enable;
    Word next(const std::vector<Word> &value) const
    {
        const Word taken = inverted ? ~value[d] : value[d];
        return (taken & value[enable]) | (value[q] & ~value[enable]);
    }
};

struct Input {
    uint32_t net, delay;
};

struct Circuit {
    uint32_t nets = 0, period = 0;
    std::vector<Gate> gates;
    std::vector<Flop> flops;
    std::vector<Input> inputs;
    std::vector<uint32_t> samples;
};

[[noreturn]] inline void fail(const std::string &why)
{
    std::fprintf(stderr, "toggles: %s\n", why.c_str());
    std::exit(1);
}

inline Circuit read_circuit(const char *path)
{
    Circuit c;
    std::ifstream file(path);
    std::string line, kind;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        words >> kind;
        if (kind == "nets") {
            words >> c.nets;
        } else if (kind == "period") {
            words >> c.period;
        } else if (kind == "gate") {
            Gate g;
            words >> g.out >> g.delay >> g.shortest >> g.truth;
            for (uint32_t net; words >> net;) {
                g.in.push_back(net);
            }
            if (g.in.size() > kInputs || g.truth.size() != size_t{1} << g.in.size()) {
                fail("what gate is '" + line + "'?");
            }
            c.gates.push_back(g);
            continue;
        } else if (kind == "flop") {
            Flop f;
            words >> f.q >> f.d >> f.delay >> f.inverted >> f.enable;
            c.flops.push_back(f);
        } else if (kind == "input") {
            Input i;
            words >> i.net >> i.delay;
            c.inputs.push_back(i);
        } else if (kind == "sample") {
            uint32_t net;
            words >> net;
            c.samples.push_back(net);
        } else {
            fail("what is '" + line + "'?");
        }
        if (!words) {
            fail("too short: " + line);
        }
    }
    if (c.nets < 2 || c.period == 0) {
        fail("there are no nets, or no period");
    }
    return c;
}

constexpr uint64_t kCounted = uint64_t{1} << 63; // of a cycle's count

// Changes of some words, by cycle
struct Changes {
    std::vector<uint64_t> counts, pairs;
};

inline std::vector<uint64_t> read_words(const char *path)
{
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const auto bytes = file ? static_cast<std::streamsize>(file.tellg()) : 0;
    std::vector<uint64_t> words(static_cast<size_t>(bytes) / sizeof(uint64_t));
    file.seekg(0);
    file.read(reinterpret_cast<char *>(words.data()), bytes);
    return words;
}

inline Changes read_stimulus(const char *path, size_t inputs)
{
    const std::vector<uint64_t> words = read_words(path);
    const size_t cycles = words.empty() ? 0 : words[0];
    if (words.empty() || words.size() - 1 < cycles) {
        fail("the stimulus is too short");
    }
    const auto start = words.begin() + 1, end = start + static_cast<long>(cycles);
    Changes found{{start, end}, {end, words.end()}};
    uint64_t sum = 0;
    for (uint64_t count : found.counts) {
        sum += count & ~kCounted;
    }
    if (found.pairs.size() != 2 * sum) {
        fail("the stimulus ends within a cycle");
    }
    for (size_t i = 0; i < found.pairs.size(); i += 2) {
        if (found.pairs[i] >= inputs) {
            fail("the stimulus has an input that the netlist has not");
        }
    }
    return found;
}

inline void write(std::ofstream &file, const std::vector<uint64_t> &words)
{
    file.write(reinterpret_cast<const char *>(words.data()),
               static_cast<std::streamsize>(words.size() * sizeof(Word)));
}

// The samples of which a net has moved, in their order; all in the first cycle
class Samples
{
  public:
    explicit Samples(const Circuit &circuit)
        : nets_(circuit.samples), value_(nets_.size()), of_net_(circuit.nets)
    {
        for (size_t i = 0; i < nets_.size(); i++) {
            of_net_[nets_[i]].push_back(i);
            due_.push_back(i);
        }
    }

    template <typename Simulation>
    void take(const Simulation &simulation, const std::vector<uint32_t> &moved, Changes &found)
    {
        for (uint32_t net : moved) {
            due_.insert(due_.end(), of_net_[net].begin(), of_net_[net].end());
        }
        std::sort(due_.begin(), due_.end());
        const size_t before = found.pairs.size();
        for (size_t i : due_) {
            const Word value = simulation.value(nets_[i]);
            if (value != value_[i]) {
                value_[i] = value;
                found.pairs.insert(found.pairs.end(), {i, value});
            }
        }
        due_.clear();
        found.counts.push_back((found.pairs.size() - before) / 2);
    }

  private:
    const std::vector<uint32_t> &nets_;
    std::vector<Word> value_;
    std::vector<std::vector<size_t>> of_net_;
    std::vector<size_t> due_;
};

#endif
