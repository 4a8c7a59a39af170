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

PyObject* numloom_current_code(int32_t* position) {
    PyThreadState* thread = _PyThreadState_UncheckedGet();
#if PY_VERSION_HEX >= 0x030D0000
    _PyInterpreterFrame* frame = thread->current_frame;
    /* Entry frames from C hold None in place of code. */
    while (frame != NULL && !PyCode_Check(frame->f_executable)) frame = frame->previous;
    if (frame == NULL) return NULL;
    PyCodeObject* code = (PyCodeObject*)frame->f_executable;
    *position = (int32_t)(frame->instr_ptr - _PyCode_CODE(code));
#else
    _PyInterpreterFrame* frame = thread->cframe->current_frame;
#if PY_VERSION_HEX >= 0x030C0000
    while (frame != NULL && frame->owner == FRAME_OWNED_BY_CSTACK) frame = frame->previous;
#endif
    if (frame == NULL) return NULL;
    PyCodeObject* code = frame->f_code;
    *position = (int32_t)(frame->prev_instr - _PyCode_CODE(code));
#endif
    return (PyObject*)code;
}
