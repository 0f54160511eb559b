// SPDX-License-Identifier: Apache-2.0
// Lists of commands: those that depend on each other, pauses, and lists that end early.
#ifndef ACCEL_LISTS_H
#define ACCEL_LISTS_H

#include "accel_interrupted.h"

namespace accel
{

class Lists : public Interrupted
{
  public:
    using Interrupted::Interrupted;

    void dependent(unsigned count);
    void pauses(unsigned count);
    void answers();
    void lists_that_fail();

  protected:
    static constexpr uint32_t kPaused = FP8MAC_REGS__IRQ_STATE__PAUSED_bm;
    static constexpr uint32_t kResume = FP8MAC_REGS__CTRL__RESUME_bm;
    static constexpr uint32_t kEndList = FP8MAC_REGS__CTRL__END_LIST_bm;

    Command lone();
    Command behind(const Command &before, uint32_t distance);
    std::vector<Command> some(size_t count);
    void wait_for_pause(uint32_t next, const std::vector<uint8_t> &want);
    void ends(const char *what, uint32_t position);
    void answer_late(uint32_t limit);
    void fails_at(size_t bad, bool unreadable);
    void refused_record();

    uint64_t hits_far_ = 0, hits_free_ = 0; // distances above 1; B read without a wait
    uint64_t hits_inside_ = 0;              // commands in a pause
};

// A command whose D may be another one's A
inline Command Lists::lone()
{
    Command t = plain();
    maker_.without_c(t);
    t.d_fmt = kElement.int8 ? uint32_t{FP8MAC_INT8} : t.a_fmt % kNarrow;
    t.overflow = kElement.int8 ? 0 : t.overflow;
    t.scale_a_vec = t.scale_b_vec = t.bias_en = false;
    t.scale_a = kUnitA, t.scale_b = kUnitB;
    t.irq = false;
    return t;
}

// A command whose A is D of another one, which is `distance` commands before it
inline Command Lists::behind(const Command &before, uint32_t distance)
{
    Command t = before;
    t.tag ^= 1;
    t.k = before.n;
    t.a_addr = before.d_addr;
    t.a_stride = before.d_stride;
    t.n = 2 + rng_.below(20);
    t.b_stride = Shape::up(t.k, kBeat) * kBeat;
    t.b_addr = maker_.dense(t.n, t.b_stride);
    t.d_stride = Shape::up(t.n, kBeat) * kBeat;
    t.d_addr = maker_.allocate(t.m * t.d_stride);
    if (t.mx) {
        maker_.add_scales(t);
    }
    t.after = distance;
    t.b_free = rng_.coin();
    t.scale_b_vec = t.bias_en = false;
    t.scale_b = kUnitB;
    if (t.b_free && rng_.coin()) {
        maker_.add_vectors(t);
        t.scale_a_vec = false;
        t.scale_a = kUnitA;
    }
    hits_far_ += distance > 1;
    hits_free_ += t.b_free;
    return t;
}

// One to three chains that take turns: each command waits for the one so many before it.
inline void Lists::dependent(unsigned count)
{
    for (unsigned i = 0; i < count && !bench_.hopeless(); i++) {
        begin();
        random_timing();
        const uint32_t chains = 1 + rng_.below(3);
        std::vector<Command> all;
        for (size_t left = chains * (2 + rng_.below(3)); left > 0; left--) {
            all.push_back(all.size() < chains ? lone() : behind(all[all.size() - chains], chains));
        }
        run(all);
    }
    bench_.covered("waits for a command that is not directly before", hits_far_);
    bench_.covered("operands B that are read without a wait", hits_free_);
}

inline std::vector<Command> Lists::some(size_t count)
{
    std::vector<Command> tiles;
    while (tiles.size() < count) {
        tiles.push_back(tiles.empty() || rng_.coin() ? lone() : behind(tiles.back(), 1));
    }
    return tiles;
}

// The list pauses, and what comes before is in memory.
inline void Lists::wait_for_pause(uint32_t next, const std::vector<uint8_t> &want)
{
    host_.wait_irq();
    bench_.equal("IRQ_STATE of a pause", host_.read(REG(IRQ_STATE)), kPaused);
    host_.write(REG(IRQ_STATE), kPaused);
    bench_.check("the pause is announced once", !host_.irq());
    bench_.equal("LIST in a pause", host_.read(REG(LIST)), next | 1);
    bench_.equal("STATUS in a pause", host_.read(REG(STATUS)), FP8MAC_REGS__STATUS__IDLE_bm);
    compare(want, "memory in a pause");
}

inline void Lists::ends(const char *what, uint32_t position)
{
    bench_.equal(what, host_.read(REG(LIST)), position);
    bench_.equal("COMPLETED after a list", host_.read(REG(COMPLETED)), completed_);
}

// Lists with pauses. In some of them software runs a command, by registers or by the doorbell.
inline void Lists::pauses(unsigned count)
{
    for (unsigned i = 0; i < count && !bench_.hopeless(); i++) {
        begin();
        random_timing();
        const std::vector<Command> tiles = some(2 + rng_.below(4));
        std::vector<size_t> at;
        for (size_t j = 0; j < tiles.size(); j++) { // behind the last one, a pause has no effect
            if (rng_.coin()) {
                at.push_back(j);
            }
        }
        const std::vector<uint32_t> addresses = list(tiles, at);
        const Command inside = lone();
        auto words = host_.describe(inside);
        host_.link(words, rng_.coin(), rng_.coin()); // no effect in a pause
        const uint32_t ring = maker_.allocate(host_.bytes_of(words));
        std::memcpy(&bytes()[ring - axi::kMemoryBase], words.data(), words.size() * 4);
        std::vector<uint8_t> want = bytes();
        Golden golden(want, axi::kMemoryBase);
        host_.ring(addresses[0]);
        for (size_t j = 0; j < tiles.size(); j++) {
            golden.run(tiles[j]);
            completed_++;
            if (j + 1 == tiles.size() || std::find(at.begin(), at.end(), j) == at.end()) {
                continue;
            }
            wait_for_pause(addresses[j + 1], want);
            if (rng_.coin()) {
                golden.run(inside);
                rng_.coin() ? host_.ring(ring) : host_.submit(inside);
                completed_++;
                hits_inside_++;
                host_.wait_idle();
                bench_.equal("LIST after a command in a pause", host_.read(REG(LIST)),
                             addresses[j + 1] | 1);
                compare(want, "memory after a command in a pause");
            }
            host_.clear(kResume);
        }
        host_.wait_idle();
        ends("LIST at its end", addresses.back());
        compare(want, "memory after a list with pauses");
        bench_.equal("FLAGS of a list", host_.read(REG(FLAGS)),
                     golden.all.flags | uint32_t(golden.all.nonfinite) << 8);
        bench_.check("no interrupt is left", !host_.irq());
        host_.clear(kResume | kEndList); // no effect without a pause
        bench_.equal("STATUS after a list", host_.read(REG(STATUS)), FP8MAC_REGS__STATUS__IDLE_bm);
    }
    bench_.covered("commands in a pause", hits_inside_);
}

// The answer comes in the last cycle before the limit, or not at all.
inline void Lists::answer_late(uint32_t limit)
{
    begin();
    const std::vector<Command> tiles = some(2);
    const std::vector<uint32_t> addresses = list(tiles, {0});
    std::vector<uint8_t> want = bytes();
    Golden golden(want, axi::kMemoryBase);
    golden.run(tiles[0]);
    completed_++;
    host_.write(REG(PAUSE_LIMIT), limit);
    host_.ring(addresses[0]);
    host_.wait_irq();
    const uint64_t start = host_.cycles();
    for (unsigned i = 0; i < 400; i++) {
        host_.tick();
    }
    if (limit == 0) {
        bench_.equal("no limit", host_.read(REG(LIST)), addresses[1] | 1);
        host_.clear(kEndList);
        bench_.equal("STATUS of a list that was ended", host_.read(REG(STATUS)),
                     FP8MAC_REGS__STATUS__IDLE_bm);
    } else {
        host_.write(REG(IRQ_STATE), kPaused);
        host_.wait_irq();
        bench_.check("not before the limit", host_.cycles() - start >= limit);
        const uint32_t status = host_.wait_idle();
        bench_.equal("error of a pause without an answer", FIELD_OF(status, STATUS, ERROR_CODE),
                     ErrTimeout);
        bench_.equal("its tag", FIELD_OF(status, STATUS, ERROR_TAG), 0);
        host_.clear(kClearError);
    }
    ends("LIST after a pause", addresses[1]);
    compare(want, "memory after a list that ended in a pause");
    host_.write(REG(PAUSE_LIMIT), FP8MAC_REGS__PAUSE_LIMIT__CYCLES_reset);
    works_again();
}

inline void Lists::answers()
{
    host_.memory.set_timing(axi::Timing{});
    for (const uint32_t limit : {0u, 1u, 300u, 1000u}) {
        answer_late(limit);
    }
    // A soft reset ends the list in its pause.
    begin();
    const std::vector<Command> tiles = some(2);
    const std::vector<uint32_t> addresses = list(tiles, {0});
    host_.ring(addresses[0]);
    completed_++;
    host_.wait_irq();
    host_.clear(kSoftReset);
    host_.wait_idle();
    host_.clear(kResume);
    ends("LIST after a soft reset", addresses[1]);
    works_again();
}

// A command of a list fails: those behind it do nothing, and the list is over.
inline void Lists::fails_at(size_t bad, bool unreadable)
{
    begin();
    random_timing();
    std::vector<Command> tiles = some(5);
    for (size_t i = 0; i < tiles.size(); i++) {
        tiles[i].tag = static_cast<uint16_t>(100 + i);
    }
    std::vector<uint8_t> want;
    std::vector<Command> sent = tiles;
    sent[bad].m = unreadable ? sent[bad].m : 0;
    const std::vector<uint32_t> addresses = list(sent, {});
    if (unreadable) {
        host_.memory.set_faults({axi::Fault{addresses[bad], addresses[bad], axi::SlvErr}}, {});
    }
    want = bytes();
    Golden golden(want, axi::kMemoryBase);
    for (size_t i = 0; i < bad; i++) {
        golden.run(tiles[i]);
        completed_++;
    }
    host_.ring(addresses[0]);
    host_.wait_irq();
    const uint32_t status = host_.wait_idle();
    bench_.equal("error of a list", FIELD_OF(status, STATUS, ERROR_CODE),
                 unreadable ? ErrReadSlv : ErrShape);
    bench_.equal("tag of the command", FIELD_OF(status, STATUS, ERROR_TAG),
                 unreadable ? 0 : tiles[bad].tag);
    compare(want, "memory after a list that failed");
    host_.memory.set_faults({}, {});
    host_.clear(kClearError);
    bench_.equal("COMPLETED after a list that failed", host_.read(REG(COMPLETED)), completed_);
    // It can be resumed from any of its descriptors.
    const std::vector<uint32_t> again =
        list(std::vector<Command>(tiles.begin() + bad, tiles.end()), {});
    want = bytes();
    Golden rest(want, axi::kMemoryBase);
    for (size_t i = bad; i < tiles.size(); i++) {
        rest.run(tiles[i]);
        completed_++;
    }
    host_.ring(again[0]);
    host_.wait_idle();
    compare(want, "memory after the rest of a list");
    works_again();
}

// A command of a list whose record is not free is refused, and so are those behind it.
inline void Lists::refused_record()
{
    begin();
    std::vector<Command> tiles = some(4);
    for (Command &t : tiles) {
        t.tag = 8;
    }
    tiles[1].record = tiles[2].record = true;
    const std::vector<uint32_t> addresses = list(tiles, {});
    std::vector<uint8_t> want = bytes();
    Golden golden(want, axi::kMemoryBase);
    golden.run(tiles[0]);
    golden.run(tiles[1]);
    completed_ += 2;
    host_.ring(addresses[0]);
    host_.wait_irq();
    const uint32_t status = host_.wait_idle();
    bench_.equal("error of a record that is not free", FIELD_OF(status, STATUS, ERROR_CODE),
                 ErrRecord);
    compare(want, "memory after a list whose command was refused");
    ends("LIST of a list whose command was refused", addresses[2]);
    check_record(tiles[1], golden.outcome);
    release_all();
    host_.clear(kClearError);
    works_again();
}

inline void Lists::lists_that_fail()
{
    for (size_t bad = 0; bad < 5; bad++) {
        fails_at(bad, false);
        fails_at(bad, true);
    }
    if (kFunctions.records) {
        refused_record();
    }
    host_.memory.set_timing(axi::Timing{});
}

} // namespace accel

#endif
