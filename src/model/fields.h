/*
 * Macros that make a struct, or field specifications, from a list of fields.
 *
 * A list is a macro that takes FIELD(type, name, role, unit, refers_to, flags, labels).
 */
#pragma once

#include <stdint.h>

#define XTF_C_TYPE_U8     uint8_t
#define XTF_C_TYPE_U16    uint16_t
#define XTF_C_TYPE_U32    uint32_t
#define XTF_C_TYPE_U64    uint64_t
#define XTF_C_TYPE_I32    int32_t
#define XTF_C_TYPE_I64    int64_t
#define XTF_C_TYPE_F64    double
#define XTF_C_TYPE_STRING uint32_t

#define XTF_MEMBER(type, name, role, unit, refers_to, flags, labels) XTF_C_TYPE_##type name;
#define XTF_SPEC(type, name, role, unit, refers_to, flags, labels) \
    {#name, XTF_TYPE_##type, role, unit, refers_to, flags, labels},
