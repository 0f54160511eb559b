// SPDX-License-Identifier: Apache-2.0
// The version of the project: the one place where it is written. make, the Python package, the tool
// and pkg-config read these three lines.
#ifndef FP8MAC_VERSION_H
#define FP8MAC_VERSION_H

#define FP8MAC_VERSION_MAJOR 0
#define FP8MAC_VERSION_MINOR 2
#define FP8MAC_VERSION_PATCH 0

#define FP8MAC_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define FP8MAC_VERSION_TEXT(major, minor, patch) FP8MAC_VERSION_TEXT_(major, minor, patch)
// "MAJOR.MINOR.PATCH" of the headers.
#define FP8MAC_VERSION                                                                             \
    FP8MAC_VERSION_TEXT(FP8MAC_VERSION_MAJOR, FP8MAC_VERSION_MINOR, FP8MAC_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

// "MAJOR.MINOR.PATCH" of the library. It differs from FP8MAC_VERSION if a program was compiled with
// other headers.
const char *fp8mac_version(void);

#ifdef __cplusplus
}
#endif
#endif
