// SPDX-License-Identifier: Apache-2.0
// What layers become, on any host and for any accelerator: scratch by a query, commands by a
// recording, cycles by the model of cycles (fp8mac/cycles.h). No operand is read and nothing runs, so
// tensors may stand at addresses that nobody has.
//
//   fp8rt_caps caps = fp8rt_plan_caps(&config);
//   fp8rt_port port = {.context = &caps};
//   fp8rt_device_open(&dev, &port);
//   run = fp8rt_run_query(&dev);                    // layers; run.peak, run.record_bytes
//   run = fp8rt_run_on(&dev, scratch, run.peak);
//   run.recorder = &recorder;                       // the same layers; then their commands
#ifndef FP8RT_PLAN_H
#define FP8RT_PLAN_H

#include "fp8mac/cycles.h"
#include "fp8rt/network.h"

#ifdef __cplusplus
extern "C" {
#endif

// The accelerator of a configuration that is possible, as its registers describe it
fp8rt_caps fp8rt_plan_caps(const fp8mac_cycles_config *config);
// The recorder's commands, recorder->commands of them. The doorbell starts the list, and what is behind
// a pause.
void fp8rt_plan_commands(const fp8rt_recorder *recorder, const fp8rt_caps *caps,
                         fp8mac_cycles_command *commands);
// Parts of the core that it has.
uint32_t fp8rt_plan_calls(const fp8rt_recorder *recorder);
// The cycles of its commands one by one on the accelerator of `config`, each when the one before is complete. As
// fp8mac_cycles_run, and FP8MAC_ERR_UNSUPPORTED: there is no memory.
fp8mac_status fp8rt_plan_cycles(const fp8rt_recorder *recorder, const fp8mac_cycles_config *config,
                                uint64_t *cycles);

#ifdef __cplusplus
}
#endif
#endif
