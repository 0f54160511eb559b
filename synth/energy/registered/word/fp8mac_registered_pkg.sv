// SPDX-License-Identifier: Apache-2.0
// The register stands behind align.
package fp8mac_registered_pkg;
  parameter int unsigned Register = 2;
endpackage
