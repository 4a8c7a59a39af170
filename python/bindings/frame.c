/* The only file that looks into the interpreter's frames. CPython's own frame object would have to be created
 * to ask for the line (130 ns); the internal frame is there anyway and takes three loads. Its layout changes
 * between versions, hence the branches. */
#define PY_SSIZE_T_CLEAN
#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#include "frame.h"

#include <internal/pycore_frame.h>

#if PY_VERSION_HEX < 0x030B0000 || PY_VERSION_HEX >= 0x030E0000
#error "the frame layout of this Python version is not known: add it here"
#endif

#if PY_VERSION_HEX >= 0x030D0000
#define TOP_FRAME(thread) ((thread)->current_frame)
/* Entry frames from C hold None in place of code. */
#define HAS_CODE(frame) PyCode_Check((frame)->f_executable)
#define CODE_OF(frame) ((PyCodeObject*)(frame)->f_executable)
#define INSTRUCTION_OF(frame) ((frame)->instr_ptr)
#else
#define TOP_FRAME(thread) ((thread)->cframe->current_frame)
#if PY_VERSION_HEX >= 0x030C0000
#define HAS_CODE(frame) ((frame)->owner != FRAME_OWNED_BY_CSTACK)
#else
#define HAS_CODE(frame) 1
#endif
#define CODE_OF(frame) ((frame)->f_code)
#define INSTRUCTION_OF(frame) ((frame)->prev_instr)
#endif

PyObject* numloom_current_code(int32_t* position, int (*skip)(PyObject* code)) {
    _PyInterpreterFrame* frame = TOP_FRAME(_PyThreadState_UncheckedGet());
    while (frame != NULL && (!HAS_CODE(frame) || skip((PyObject*)CODE_OF(frame)))) frame = frame->previous;
    if (frame == NULL) return NULL;
    *position = (int32_t)(INSTRUCTION_OF(frame) - _PyCode_CODE(CODE_OF(frame)));
    return (PyObject*)CODE_OF(frame);
}
