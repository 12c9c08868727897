/* The last step of every reader: an order in which all causes come before their effects.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_MODEL_ORDER_H
#define LP_MODEL_ORDER_H

#include "longpole/execution.h"

/* Fills execution->runs, the sources' flags and all slots. Nodes, parts and arcs must be complete. A cycle is an error
 * that names a point on it; with `salvage` arcs of the cycle are given up instead, and counted. */
enum lp_status lp_execution_finish(struct lp_execution *execution, bool salvage, struct lp_error *error);

#endif
