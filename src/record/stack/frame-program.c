#include "src/record/stack/frame-program.h"

#ifdef __x86_64__

enum { FRAME_POINTER = 6, STACK_POINTER = 7, RETURN_ADDRESS = 16, REMEMBERED_MAX = 8 };

/* Instructions of DWARF (5, 6.4.2) and of GNU. The first three have an operand in their lower bits. */
enum {
    ADVANCE_LOC = 1 << 6,
    OFFSET = 2 << 6,
    RESTORE = 3 << 6,
    NOP = 0x00,
    ADVANCE_LOC1 = 0x02,
    ADVANCE_LOC2 = 0x03,
    ADVANCE_LOC4 = 0x04,
    OFFSET_EXTENDED = 0x05,
    RESTORE_EXTENDED = 0x06,
    UNDEFINED = 0x07,
    SAME_VALUE = 0x08,
    REGISTER = 0x09,
    REMEMBER_STATE = 0x0a,
    RESTORE_STATE = 0x0b,
    DEF_CFA = 0x0c,
    DEF_CFA_REGISTER = 0x0d,
    DEF_CFA_OFFSET = 0x0e,
    DEF_CFA_EXPRESSION = 0x0f,
    EXPRESSION = 0x10,
    OFFSET_EXTENDED_SF = 0x11,
    DEF_CFA_SF = 0x12,
    DEF_CFA_OFFSET_SF = 0x13,
    VAL_OFFSET = 0x14,
    VAL_OFFSET_SF = 0x15,
    VAL_EXPRESSION = 0x16,
    GNU_ARGS_SIZE = 0x2e,
};

enum { OP_DEREF = 0x06, OP_BREG_FRAME_POINTER = 0x76 }; /* operations of DWARF's expressions */

/* Where a register of the caller is. */
typedef struct {
    XtfStackSaved kind;
    int64_t offset;
} Place;

/* The rules of registers at one place in the function. */
typedef struct {
    uint64_t cfa_register; /* the register to which an offset leads to the CFA, unless the CFA is stored in memory */
    int64_t cfa_offset;
    bool cfa_is_stored; /* at frame pointer + cfa_offset */
    bool cfa_is_unknown;
    Place frame_pointer, return_address;
} Row;

typedef struct {
    const XtfFrameProgram *program;
    Row row, initial, remembered[REMEMBERED_MAX];
    unsigned n_remembered;
    uintptr_t location; /* the row holds from here on */
} Machine;

static void set_place(Machine *machine, uint64_t register_number, XtfStackSaved kind, int64_t offset)
{
    if (register_number == FRAME_POINTER)
        machine->row.frame_pointer = (Place){kind, offset};
    else if (register_number == RETURN_ADDRESS)
        machine->row.return_address = (Place){kind, offset};
}

static void restore_place(Machine *machine, uint64_t register_number)
{
    if (register_number == FRAME_POINTER)
        machine->row.frame_pointer = machine->initial.frame_pointer;
    else if (register_number == RETURN_ADDRESS)
        machine->row.return_address = machine->initial.return_address;
}

static void define_cfa(Machine *machine, uint64_t register_number, int64_t offset)
{
    machine->row.cfa_register = register_number;
    machine->row.cfa_offset = offset;
    machine->row.cfa_is_stored = machine->row.cfa_is_unknown = false;
}

/* Reads "frame pointer + offset", and *stored: the value is in the word there. Returns false for other expressions. */
static bool read_expression(XtfStackBytes *bytes, int64_t *offset, bool *stored)
{
    XtfStackBytes expression = xtf_stack_part(bytes, xtf_stack_read_leb(bytes, false));

    if (xtf_stack_read(&expression, 1) != OP_BREG_FRAME_POINTER)
        return false;
    *offset = (int64_t)xtf_stack_read_leb(&expression, true);
    *stored = expression.at < expression.end && xtf_stack_read(&expression, 1) == OP_DEREF;
    return !expression.bad && expression.at == expression.end;
}

static void define_cfa_by_expression(Machine *machine, XtfStackBytes *bytes)
{
    int64_t offset = 0;
    bool stored = false;

    machine->row.cfa_is_unknown = !read_expression(bytes, &offset, &stored) || !stored;
    machine->row.cfa_is_stored = true;
    machine->row.cfa_offset = offset;
}

static void save_by_expression(Machine *machine, XtfStackBytes *bytes, uint64_t register_number)
{
    int64_t offset = 0;
    bool stored;
    bool known = read_expression(bytes, &offset, &stored) && !stored;

    set_place(machine, register_number, known ? XTF_STACK_SAVED_AT_FRAME : XTF_STACK_LOST, offset);
}

static bool remember_row(Machine *machine)
{
    if (machine->n_remembered == REMEMBERED_MAX)
        return false;
    machine->remembered[machine->n_remembered++] = machine->row;
    return true;
}

static bool recall_row(Machine *machine)
{
    if (machine->n_remembered == 0)
        return false;
    machine->row = machine->remembered[--machine->n_remembered];
    return true;
}

/* Runs an instruction on the rule of a register. Returns false if it is none. */
static bool run_on_register(Machine *machine, XtfStackBytes *bytes, unsigned operation)
{
    int64_t unit = machine->program->data_unit;
    uint64_t number = xtf_stack_read_leb(bytes, false);

    switch (operation) {
    case OFFSET_EXTENDED:
        set_place(machine, number, XTF_STACK_SAVED_BELOW_CFA, (int64_t)xtf_stack_read_leb(bytes, false) * unit);
        return true;
    case OFFSET_EXTENDED_SF:
        set_place(machine, number, XTF_STACK_SAVED_BELOW_CFA, (int64_t)xtf_stack_read_leb(bytes, true) * unit);
        return true;
    case RESTORE_EXTENDED:
        restore_place(machine, number);
        return true;
    case SAME_VALUE:
        set_place(machine, number, XTF_STACK_KEPT, 0);
        return true;
    case UNDEFINED:
        set_place(machine, number, XTF_STACK_LOST, 0);
        return true;
    case REGISTER:
    case VAL_OFFSET:
    case VAL_OFFSET_SF:
        xtf_stack_read_leb(bytes, false);
        set_place(machine, number, XTF_STACK_LOST, 0);
        return true;
    case VAL_EXPRESSION:
        xtf_stack_part(bytes, xtf_stack_read_leb(bytes, false));
        set_place(machine, number, XTF_STACK_LOST, 0);
        return true;
    case EXPRESSION:
        save_by_expression(machine, bytes, number);
        return true;
    case GNU_ARGS_SIZE: /* the number is no register */
        return true;
    default:
        return false;
    }
}

/* Runs an instruction that has no operand in its lower bits. Returns false if it is damaged or not supported. */
static bool run_extended(Machine *machine, XtfStackBytes *bytes, unsigned operation)
{
    uint64_t unit = machine->program->code_unit, number;

    switch (operation) {
    case NOP:
        return true;
    case ADVANCE_LOC1:
    case ADVANCE_LOC2:
    case ADVANCE_LOC4:
        machine->location += xtf_stack_read(bytes, 1u << (operation - ADVANCE_LOC1)) * unit;
        return true;
    case REMEMBER_STATE:
        return remember_row(machine);
    case RESTORE_STATE:
        return recall_row(machine);
    case DEF_CFA:
        number = xtf_stack_read_leb(bytes, false);
        define_cfa(machine, number, (int64_t)xtf_stack_read_leb(bytes, false));
        return true;
    case DEF_CFA_SF:
        number = xtf_stack_read_leb(bytes, false);
        define_cfa(machine, number, (int64_t)xtf_stack_read_leb(bytes, true) * machine->program->data_unit);
        return true;
    case DEF_CFA_REGISTER:
        define_cfa(machine, xtf_stack_read_leb(bytes, false), machine->row.cfa_offset);
        return true;
    case DEF_CFA_OFFSET:
        machine->row.cfa_offset = (int64_t)xtf_stack_read_leb(bytes, false);
        return true;
    case DEF_CFA_OFFSET_SF:
        machine->row.cfa_offset = (int64_t)xtf_stack_read_leb(bytes, true) * machine->program->data_unit;
        return true;
    case DEF_CFA_EXPRESSION:
        define_cfa_by_expression(machine, bytes);
        return true;
    default:
        return run_on_register(machine, bytes, operation);
    }
}

/* Runs instructions up to the row that holds at the place. */
static bool run_program(Machine *machine, XtfStackBytes bytes, uintptr_t place)
{
    while (bytes.at < bytes.end && !bytes.bad) {
        unsigned operation = (unsigned)xtf_stack_read(&bytes, 1), low = operation & 0x3f;
        Row before = machine->row;
        bool good = true;
        if ((operation & 0xc0) == ADVANCE_LOC)
            machine->location += low * machine->program->code_unit;
        else if ((operation & 0xc0) == OFFSET)
            set_place(machine, low, XTF_STACK_SAVED_BELOW_CFA,
                      (int64_t)xtf_stack_read_leb(&bytes, false) * machine->program->data_unit);
        else if ((operation & 0xc0) == RESTORE)
            restore_place(machine, low);
        else
            good = run_extended(machine, &bytes, operation);
        if (!good)
            return false;
        if (machine->location > place) {
            machine->row = before;
            return true;
        }
    }
    return !bytes.bad;
}

static bool is_small(int64_t offset, int64_t limit)
{
    return offset > -limit && offset < limit;
}

static XtfStackRule rule_of_row(const Row *row)
{
    const Place *saved = &row->frame_pointer, *returned = &row->return_address;
    const XtfStackRule unknown = xtf_stack_rule(XTF_STACK_UNKNOWN, 0, XTF_STACK_LOST, 0);

    if (row->cfa_is_unknown || returned->kind != XTF_STACK_SAVED_BELOW_CFA || returned->offset != -8 ||
        !is_small(row->cfa_offset, INT32_MAX) || !is_small(saved->offset, XTF_STACK_SAVED_MAX) ||
        (!row->cfa_is_stored && row->cfa_register != STACK_POINTER && row->cfa_register != FRAME_POINTER))
        return unknown;
    XtfStackCfa cfa = row->cfa_is_stored                   ? XTF_STACK_STORED_NEAR_FRAME
                      : row->cfa_register == STACK_POINTER ? XTF_STACK_FROM_STACK_POINTER
                                                           : XTF_STACK_FROM_FRAME_POINTER;
    return xtf_stack_rule(cfa, (int32_t)row->cfa_offset, saved->kind, (int32_t)saved->offset);
}

XtfStackRule xtf_frame_rule(const XtfFrameProgram *program, uintptr_t place)
{
    Machine machine = {.program = program, .row.cfa_is_unknown = true, .location = program->begin};

    if (!run_program(&machine, program->common, UINTPTR_MAX))
        return xtf_stack_rule(XTF_STACK_UNKNOWN, 0, XTF_STACK_LOST, 0);
    machine.initial = machine.row;
    machine.location = program->begin;
    if (!run_program(&machine, program->own, place))
        return xtf_stack_rule(XTF_STACK_UNKNOWN, 0, XTF_STACK_LOST, 0);
    return rule_of_row(&machine.row);
}

#endif
