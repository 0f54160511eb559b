// SPDX-License-Identifier: Apache-2.0
#include "core_watch.h"

#include "Vfp8mac_system___024root.h"

namespace
{

// Fields of ibex_pkg::exc_cause_t, from the lowest bit
constexpr unsigned cause_bits = 5, cause_external = 1u << 5, cause_internal = 1u << 6;

uint32_t low_bytes(uint32_t value, unsigned bytes)
{
    return bytes == 4 ? value : value & ((1u << 8 * bytes) - 1);
}

} // namespace

// A signal of Ibex's core
#define CORE(name)                                                                                 \
    (chip_.rootp->fp8mac_system__DOT__u_core__DOT__u_ibex__DOT__u_ibex_core__DOT__##name)

uint32_t CoreWatch::pc() const
{
    return CORE(pc_id);
}

// An instruction's address and data are those of its first cycles. Later ones may belong to the
// second half of an access that is not aligned.
void CoreWatch::execute()
{
    if (CORE(instr_first_cycle_id)) {
        access_ = {};
        if (CORE(lsu_req)) {
            access_.kind = CORE(lsu_we) ? Access::Kind::store : Access::Kind::load;
            access_.address = CORE(alu_adder_result_ex);
            access_.bytes = CORE(lsu_type) == 0 ? 4 : CORE(lsu_type) == 1 ? 2 : 1;
            access_.data = low_bytes(CORE(lsu_wdata), access_.bytes);
        }
    }
    if (CORE(instr_id_done)) {
        const bool compressed = CORE(instr_is_compressed_id);
        behind_ = {};
        behind_.pc = CORE(pc_id);
        behind_.code = CORE(instr_rdata_id);
        behind_.encoded = compressed ? CORE(instr_rdata_c_id) : CORE(instr_rdata_id);
        behind_.bytes = compressed ? 2 : 4;
        behind_.access = access_;
    }
}

void CoreWatch::retire(uint64_t cycle)
{
    done_ = behind_;
    done_.cycle = cycle;
    if (CORE(rf_we_wb)) {
        done_.rd = CORE(rf_waddr_wb);
        done_.value = CORE(rf_wdata_wb);
        if (done_.access.kind == Access::Kind::load) {
            done_.access.data = low_bytes(done_.value, done_.access.bytes);
        }
        if (done_.rd != 0) {
            registers_[done_.rd] = done_.value;
        }
    }
}

CoreWatch::Events CoreWatch::look(uint64_t cycle)
{
    Events events;
    const bool failed = CORE(lsu_resp_err);
    events.retired = CORE(instr_done_wb) && !failed;
    if (events.retired) {
        retire(cycle);
    }
    execute();
    fresh_ = CORE(instr_valid_id) && !failed && (fresh_ || CORE(instr_new_id));
    events.boundary = fresh_ && CORE(ready_wb);
    fresh_ = fresh_ && !events.boundary;
    events.trapped = CORE(csr_save_cause);
    if (events.trapped) {
        const unsigned cause = CORE(exc_cause);
        trap_ = {cycle, (cause & (cause_external | cause_internal)) != 0,
                 cause & ((1u << cause_bits) - 1), CORE(cs_registers_i__DOT__exception_pc),
                 CORE(csr_mtval)};
    }
    return events;
}
