/* The Python frame that is recording: its code object and the position in it. */
#ifndef NUMLOOM_FRAME_H
#define NUMLOOM_FRAME_H

#include <Python.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Borrowed code object of the innermost Python frame whose code skip() does not want passed over (NULL where
 * there is none), and the index of its current code unit. */
PyObject* numloom_current_code(int32_t* position, int (*skip)(PyObject* code));

#ifdef __cplusplus
}
#endif

#endif
