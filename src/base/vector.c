/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/vector.h"

bool lp_vector_grow(void **items, size_t *capacity, size_t needed, size_t item_size)
{
    size_t wanted = *capacity ? *capacity * 2 : 16;
    if (wanted < needed)
        wanted = needed;
    if (item_size && wanted > SIZE_MAX / 2 / item_size)
        return false;
    void *grown = reallocarray(*items, wanted, item_size);
    if (!grown)
        return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

void *lp_allocate(size_t count, size_t item_size)
{
    return calloc(count ? count : 1, item_size ? item_size : 1);
}
