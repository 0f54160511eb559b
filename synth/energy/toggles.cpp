// SPDX-License-Identifier: Apache-2.0
// Counts the transitions of every net of a netlist. 64 copies run side by side, each with its own inputs and its own bit
// of a word.
//
//   toggles NETS STIMULUS RESULT SETTLED|TIMED SKIP
//
// NETS is text, one item a line. Delays are in ticks. A gate comes after the gates that drive it:
//   nets N | gate OUT DELAY SHORTEST TRUTH INPUT... | flop Q D DELAY INVERTED | input NET DELAY | sample NET | period TICKS
//   TRUTH: bit i is the output for the inputs that spell i, the first input the lowest bit. Nets 0 and 1 are constants.
// STIMULUS: words[cycle][input]. The length of the file gives the number of cycles.
// RESULT: words toggles[net], ones[net], then samples[cycle][sample].
//
// In a cycle flip-flops take their inputs' last values, inputs change, all nets settle, and samples are taken.
// SETTLED counts a net once a cycle if its value changes from one cycle to the next. TIMED lets changes travel with the
// gates' delays and counts every one. A pulse that is shorter than SHORTEST, at most DELAY, does not pass a gate. The
// first SKIP cycles are not counted. In TIMED every cycle must settle to the values of SETTLED before the period ends;
// otherwise the program fails.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace
{

using Word = uint64_t;

struct Gate {
    uint32_t out, delay, shortest, truth;
    std::vector<uint32_t> in;
};

struct Flop {
    uint32_t q, d, delay, inverted;
    Word next(const std::vector<Word> &value) const
    {
        return inverted ? ~value[d] : value[d];
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

[[noreturn]] void fail(const std::string &why)
{
    std::fprintf(stderr, "toggles: %s\n", why.c_str());
    std::exit(1);
}

Circuit read_circuit(const char *path)
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
            if (g.in.size() > 5) {
                fail("a gate has more than five inputs");
            }
            c.gates.push_back(g);
            continue;
        } else if (kind == "flop") {
            Flop f;
            words >> f.q >> f.d >> f.delay >> f.inverted;
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

class Simulation
{
  public:
    Simulation(const Circuit &circuit, bool timed)
        : c_(circuit), timed_(timed), value_(circuit.nets), toggles_(circuit.nets),
          ones_(circuit.nets), start_(circuit.nets), users_(circuit.nets), pending_(circuit.nets),
          wheel_(kWheel), stamp_(circuit.gates.size(), ~0u)
    {
        value_[1] = ~Word{0};
        for (uint32_t i = 0; i < c_.gates.size(); i++) {
            const Gate &gate = c_.gates[i];
            if (gate.delay == 0 || gate.delay >= kWheel || gate.shortest > gate.delay) {
                fail("a delay is out of range");
            }
            for (uint32_t net : gate.in) {
                users_[net].push_back(i);
            }
        }
        for (const Gate &gate : c_.gates) {
            value_[gate.out] = evaluate(gate, value_);
        }
    }

    void cycle(const Word *inputs)
    {
        start_ = value_;
        if (timed_) {
            travel(inputs);
        } else {
            settle(inputs, value_);
        }
        if (!timed_) {
            for (uint32_t net = 0; net < c_.nets; net++) {
                toggles_[net] += popcount(value_[net] ^ start_[net]);
            }
        }
        for (uint32_t net = 0; net < c_.nets; net++) {
            ones_[net] += popcount(value_[net]);
        }
    }

    void forget()
    {
        toggles_.assign(c_.nets, 0);
        ones_.assign(c_.nets, 0);
    }

    const std::vector<Word> &values() const
    {
        return value_;
    }
    const std::vector<uint64_t> &toggles() const
    {
        return toggles_;
    }
    const std::vector<uint64_t> &ones() const
    {
        return ones_;
    }

  private:
    static constexpr uint32_t kWheel = 1 << 15;

    struct Change {
        uint32_t tick;
        Word value;
    };

    static uint64_t popcount(Word word)
    {
        return static_cast<uint64_t>(__builtin_popcountll(word));
    }

    static Word evaluate(const Gate &gate, const std::vector<Word> &value)
    {
        Word leaf[32];
        size_t n = size_t{1} << gate.in.size();
        for (size_t i = 0; i < n; i++) {
            leaf[i] = gate.truth >> i & 1 ? ~Word{0} : 0;
        }
        for (uint32_t net : gate.in) {
            const Word select = value[net];
            n /= 2;
            for (size_t i = 0; i < n; i++) {
                leaf[i] = (leaf[2 * i + 1] & select) | (leaf[2 * i] & ~select);
            }
        }
        return leaf[0];
    }

    void settle(const Word *inputs, std::vector<Word> &value) const
    {
        for (const Flop &flop : c_.flops) {
            value[flop.q] = flop.next(start_);
        }
        for (size_t i = 0; i < c_.inputs.size(); i++) {
            value[c_.inputs[i].net] = inputs[i];
        }
        for (const Gate &gate : c_.gates) {
            value[gate.out] = evaluate(gate, value);
        }
    }

    void schedule(uint32_t net, uint32_t tick, Word value)
    {
        pending_[net].push_back({tick, value});
        wheel_[tick % kWheel].push_back(net);
        events_++;
    }

    // What a gate does now leaves it `delay` later. A bit that returns to what it was `shortest` ago forgets what it
    // was in between: until then it has changed at most once.
    void update(const Gate &gate, uint32_t now)
    {
        const Word to_be = evaluate(gate, value_);
        Word before = value_[gate.out], last = before;
        for (Change &c : pending_[gate.out]) {
            if (c.tick + gate.shortest <= now + gate.delay) {
                before = c.value;
            } else {
                c.value = (c.value & (before ^ to_be)) | (before & ~(before ^ to_be));
            }
            last = c.value;
        }
        if (last != to_be) {
            schedule(gate.out, now + gate.delay, to_be);
        }
    }

    void travel(const Word *inputs)
    {
        for (const Flop &flop : c_.flops) {
            if (flop.next(start_) != value_[flop.q]) {
                schedule(flop.q, flop.delay, flop.next(start_));
            }
        }
        for (size_t i = 0; i < c_.inputs.size(); i++) {
            if (inputs[i] != value_[c_.inputs[i].net]) {
                schedule(c_.inputs[i].net, c_.inputs[i].delay, inputs[i]);
            }
        }
        for (uint32_t now = 0; events_ != 0; now++) {
            if (now > c_.period) {
                fail("something still changes when the period is over");
            }
            tick(now);
        }
        expected_ = start_;
        settle(inputs, expected_);
        if (expected_ != value_) {
            fail("the delays change what a cycle ends with");
        }
    }

    void tick(uint32_t now)
    {
        std::vector<uint32_t> &due = wheel_[now % kWheel];
        touched_.clear();
        for (uint32_t net : due) {
            std::vector<Change> &changes = pending_[net];
            const Word value = changes.front().value;
            if (changes.front().tick != now) {
                fail("changes of a net are out of order");
            }
            changes.erase(changes.begin());
            events_--;
            if (value == value_[net]) {
                continue;
            }
            toggles_[net] += popcount(value ^ value_[net]);
            value_[net] = value;
            for (uint32_t gate : users_[net]) {
                if (stamp_[gate] == serial_) {
                    continue;
                }
                stamp_[gate] = serial_;
                touched_.push_back(gate);
            }
        }
        due.clear();
        serial_++;
        for (uint32_t gate : touched_) {
            update(c_.gates[gate], now);
        }
    }

    const Circuit &c_;
    const bool timed_;
    std::vector<Word> value_;
    std::vector<uint64_t> toggles_, ones_;
    std::vector<Word> start_, expected_;
    std::vector<std::vector<uint32_t>> users_;
    std::vector<std::vector<Change>> pending_;
    std::vector<std::vector<uint32_t>> wheel_;
    std::vector<uint32_t> stamp_, touched_;
    uint32_t serial_ = 0;
    uint64_t events_ = 0;
};

void write(std::ofstream &file, const std::vector<uint64_t> &words)
{
    file.write(reinterpret_cast<const char *>(words.data()),
               static_cast<std::streamsize>(words.size() * sizeof(Word)));
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 6) {
        fail("five arguments: NETS STIMULUS RESULT SETTLED|TIMED SKIP");
    }
    const bool timed = std::strcmp(argv[4], "TIMED") == 0;
    if (!timed && std::strcmp(argv[4], "SETTLED") != 0) {
        fail("SETTLED or TIMED");
    }
    const long skip = std::strtol(argv[5], nullptr, 10);
    const Circuit circuit = read_circuit(argv[1]);
    Simulation simulation(circuit, timed);
    std::ifstream stimulus(argv[2], std::ios::binary);
    std::vector<Word> inputs(circuit.inputs.size()), samples;
    const auto bytes = static_cast<std::streamsize>(inputs.size() * sizeof(Word));
    long cycles = 0;
    for (; stimulus.read(reinterpret_cast<char *>(inputs.data()), bytes); cycles++) {
        if (cycles == skip) {
            simulation.forget();
        }
        simulation.cycle(inputs.data());
        for (uint32_t net : circuit.samples) {
            samples.push_back(simulation.values()[net]);
        }
    }
    if (cycles <= skip || stimulus.gcount() != 0) {
        fail("the stimulus is too short, or ends within a cycle");
    }
    std::ofstream result(argv[3], std::ios::binary);
    write(result, simulation.toggles());
    write(result, simulation.ones());
    write(result, samples);
    return result.flush() ? 0 : (std::perror(argv[3]), 1);
}
