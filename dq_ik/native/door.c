/*
 * Copyright 2026 The dq_ik Authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 *
 * The door from Python to the library.
 *
 * `entries` holds every entry of the library as it is, with buffers for addresses. `Robot` and
 * `Solver` are prepared once and cost little per call; dq_ik/native/door.py says what they do, in
 * Python. Arguments that are no contiguous arrays of float64 are answered with None: the caller
 * then converts them and calls again.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "dq_ik.h"

#define N_SIZES 4 /* words of the heads that are read here: table, length, n, n_tips */
#define N_CONTACT 8 /* words of a contact: pair, distance, two points */
static const double ORIGIN[3] = {0.0, 0.0, 0.0};

/* --- arrays ------------------------------------------------------------------------------------ */

/*
 * The first fields of NumPy's arrays and types of numbers, which are public and have not changed
 * since NumPy 1.0. A buffer of a new array costs three times as much as reading these.
 */
typedef struct {
    PyObject_HEAD
    PyTypeObject *type;
    char kind, letter, order, former_flags;
    int number;
} Dtype;
typedef struct {
    PyObject_HEAD
    void *data;
    int ndim;
    Py_ssize_t *shape, *strides;
    PyObject *base;
    Dtype *dtype;
    int flags;
} Array;
enum { CONTIGUOUS = 0x1, ALIGNED = 0x100, WRITABLE = 0x400, FLOAT64 = 12 };
static PyTypeObject *array_type; /* none: arrays are not as expected, and buffers are used */

/* View an array of float64 as a buffer that need not be released; 0: it is none. */
static int view_array(PyObject *object, Py_buffer *buffer, int flags)
{
    const Array *array = (const Array *)object;
    int needed = CONTIGUOUS | ALIGNED | (flags & PyBUF_WRITABLE ? WRITABLE : 0);
    if (Py_TYPE(object) != array_type || (array->flags & needed) != needed
        || array->dtype->number != FLOAT64 || array->dtype->order == '>')
        return 0;
    buffer->buf = array->data;
    buffer->obj = NULL;
    buffer->ndim = array->ndim;
    buffer->shape = array->shape;
    buffer->len = 8;
    for (int i = 0; i < array->ndim; i++)
        buffer->len *= array->shape[i];
    return 1;
}

/* Find out whether arrays are as expected, by one whose contents are known. */
static void meet_numpy(void)
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *array = numpy ? PyObject_CallMethod(numpy, "full", "(ii)d", 3, 2, 0.5) : NULL;
    if (array) {
        Py_buffer buffer, seen;
        array_type = Py_TYPE(array);
        if (PyObject_GetBuffer(array, &buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0) {
            int same = !strcmp(buffer.format, "d") && view_array(array, &seen, PyBUF_WRITABLE)
                && seen.buf == buffer.buf && seen.len == buffer.len && seen.ndim == 2
                && seen.shape[0] == 3 && seen.shape[1] == 2;
            if (!same)
                array_type = NULL;
            PyBuffer_Release(&buffer);
        }
    }
    PyErr_Clear();
    Py_XDECREF(array);
    Py_XDECREF(numpy);
}

/* Open a contiguous buffer of float64; 0: it is none, and no error is set. */
static int open_buffer(PyObject *object, Py_buffer *buffer, int flags)
{
    if (PyObject_GetBuffer(object, buffer, flags | PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        return 0;
    }
    if (buffer->itemsize == 8 && buffer->format && !strcmp(buffer->format, "d"))
        return 1;
    PyBuffer_Release(buffer);
    return 0;
}

/* Open an array or a buffer for the time of a call. */
static int open_numbers(PyObject *object, Py_buffer *buffer, int flags)
{
    return view_array(object, buffer, flags) || open_buffer(object, buffer, flags);
}

static int64_t words(const Py_buffer *buffer)
{
    return buffer->len / 8;
}

static PyObject *none(void)
{
    Py_INCREF(Py_None);
    return Py_None;
}

/* --- a robot ----------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    Py_buffer robot; /* kept open: the block cannot move */
    int64_t n, n_tips;
    double *memory; /* for calls that keep the interpreter's lock, and so are alone */
} Robot;

static void *slot(PyObject *object, int number)
{
    return PyType_GetSlot(Py_TYPE(object), number);
}

/* Take a robot's block; -1 and an error where it is none. */
static int open_robot(PyObject *block, Py_buffer *buffer, size_t *memory)
{
    if (!open_buffer(block, buffer, 0)) {
        PyErr_SetString(PyExc_TypeError, "a robot is a contiguous array of float64");
        return -1;
    }
    const int64_t *head = buffer->buf;
    int64_t size = words(buffer) < N_SIZES || head[1] != words(buffer)
        ? -1 : dq_ik_memory_size(buffer->buf);
    if (size < 0) {
        PyBuffer_Release(buffer);
        PyErr_SetString(PyExc_ValueError, "this block is no robot of this version");
        return -1;
    }
    *memory = 8 * (size_t)size;
    return 0;
}

static PyObject *robot_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *block;
    if (!PyArg_ParseTuple(args, "O", &block))
        return NULL;
    Robot *self = (Robot *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self)
        return NULL;
    size_t size;
    if (open_robot(block, &self->robot, &size) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    const int64_t *head = self->robot.buf;
    self->n = head[2];
    self->n_tips = head[3];
    self->memory = malloc(size);
    if (!self->memory) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void robot_free(PyObject *object)
{
    Robot *self = (Robot *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->robot.obj)
        PyBuffer_Release(&self->robot);
    free(self->memory);
    ((freefunc)slot(object, Py_tp_free))(object);
    Py_DECREF(type);
}

/* Open a joint vector; 0: it must be converted first. */
static int open_vector(Robot *self, PyObject *q, Py_buffer *buffer)
{
    if (!open_numbers(q, buffer, 0))
        return 0;
    if (buffer->ndim == 1 && words(buffer) == self->n)
        return 1;
    PyBuffer_Release(buffer);
    return 0;
}

/* Four numbers as a tuple. */
static PyObject *four(const double *numbers)
{
    PyObject *tuple = PyTuple_New(4);
    for (int i = 0; tuple && i < 4; i++) {
        PyObject *number = PyFloat_FromDouble(numbers[i]);
        if (!number || PyTuple_SetItem(tuple, i, number) < 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

/* Eight numbers as two tuples. */
static PyObject *pose_of(const double *numbers)
{
    PyObject *pose = PyTuple_New(2);
    for (int i = 0; pose && i < 2; i++) {
        PyObject *part = four(numbers + 4 * i);
        if (!part || PyTuple_SetItem(pose, i, part) < 0)
            Py_CLEAR(pose);
    }
    return pose;
}

/* fk(q, tip) -> (real, dual) of the tip's pose, four numbers each */
static PyObject *robot_fk(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    Robot *self = (Robot *)object;
    Py_buffer q;
    double few[64];
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "fk takes q and the number of a tip");
        return NULL;
    }
    long long tip = PyLong_AsLongLong(args[1]);
    if (tip < 0 || tip >= self->n_tips) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_IndexError, "there is no such tip");
        return NULL;
    }
    if (!open_vector(self, args[0], &q))
        return none();
    double *poses = self->n_tips <= 8 ? few : malloc(64 * (size_t)self->n_tips);
    int64_t result = poses ? dq_ik_fk(self->robot.buf, q.buf, 1, 0, poses, self->memory) : 0;
    PyObject *answer = NULL;
    if (!poses) {
        PyErr_NoMemory();
    } else if (result < 0) {
        answer = PyLong_FromLongLong(result);
    } else {
        answer = pose_of(poses + 8 * tip);
    }
    if (poses != few)
        free(poses);
    PyBuffer_Release(&q);
    return answer;
}

/* jacobian(q, tip, point, body, out) -> 0 or less; point: three numbers, or None for the origin */
static PyObject *robot_jacobian(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    Robot *self = (Robot *)object;
    Py_buffer q, point, out;
    PyObject *answer = NULL;
    if (count != 5) {
        PyErr_SetString(PyExc_TypeError, "jacobian takes q, tip, point, body and an array");
        return NULL;
    }
    long long tip = PyLong_AsLongLong(args[1]);
    int body = PyObject_IsTrue(args[3]), given = args[2] != Py_None;
    if (PyErr_Occurred())
        return NULL;
    if (!open_vector(self, args[0], &q))
        return none();
    if (given && !open_numbers(args[2], &point, 0)) {
        PyErr_SetString(PyExc_TypeError, "a point is three numbers");
    } else {
        if (given && words(&point) != 3) {
            PyErr_SetString(PyExc_TypeError, "a point is three numbers");
        } else if (!open_numbers(args[4], &out, PyBUF_WRITABLE)) {
            PyErr_SetString(PyExc_TypeError, "the array for the answer is not writable");
        } else {
            if (words(&out) != 6 * self->n)
                PyErr_SetString(PyExc_ValueError, "the array for the answer has another size");
            else
                answer = PyLong_FromLongLong(dq_ik_jacobian(
                    self->robot.buf, q.buf, 1, tip, given ? point.buf : ORIGIN, body, NULL, 0,
                    out.buf, self->memory));
            PyBuffer_Release(&out);
        }
        if (given)
            PyBuffer_Release(&point);
    }
    PyBuffer_Release(&q);
    return answer;
}

static PyMethodDef robot_methods[] = {
    {"fk", (PyCFunction)(void (*)(void))robot_fk, METH_FASTCALL, NULL},
    {"jacobian", (PyCFunction)(void (*)(void))robot_jacobian, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot robot_slots[] = {
    {Py_tp_new, robot_new}, {Py_tp_dealloc, robot_free}, {Py_tp_methods, robot_methods}, {0, NULL}};
static PyType_Spec robot_spec = {
    "dq_ik.native.Robot", sizeof(Robot), 0, Py_TPFLAGS_DEFAULT, robot_slots};

/* --- a solver ---------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    Py_buffer robot, request;
    int64_t n, n_tips, answer;
    size_t memory;
} Solver;

static PyObject *solver_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *robot, *request;
    if (!PyArg_ParseTuple(args, "OO", &robot, &request))
        return NULL;
    Solver *self = (Solver *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self)
        return NULL;
    if (open_robot(robot, &self->robot, &self->memory) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    if (!open_buffer(request, &self->request, 0)) {
        PyErr_SetString(PyExc_TypeError, "a request is a contiguous array of float64");
        Py_DECREF(self);
        return NULL;
    }
    const int64_t *head = self->robot.buf, *asked = self->request.buf;
    self->n = head[2];
    self->n_tips = head[3];
    self->answer = words(&self->request) < N_SIZES || asked[1] != words(&self->request)
        ? -1 : dq_ik_answer_size(self->request.buf);
    if (self->answer < 0 || asked[2] != self->n || asked[3] != self->n_tips) {
        PyErr_SetString(PyExc_ValueError, "this block is no request for this robot");
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void solver_free(PyObject *object)
{
    Solver *self = (Solver *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->robot.obj)
        PyBuffer_Release(&self->robot);
    if (self->request.obj)
        PyBuffer_Release(&self->request);
    ((freefunc)slot(object, Py_tp_free))(object);
    Py_DECREF(type);
}

/* Kind of the only pose in a buffer by its shape; -1: none. */
static int64_t kind_of(const Py_buffer *goal)
{
    if (goal->ndim == 2 && goal->shape[0] == 4 && goal->shape[1] == 4)
        return DQ_IK_POSE_MATRIX;
    if (goal->ndim == 1 && goal->shape[0] == 8)
        return DQ_IK_POSE_DUAL_QUATERNION;
    return -1;
}

/* The arrays of a solve, and their places among its arguments. */
enum { GOAL, SEED, ANSWER, LINKS, SCENE, CONTACT, N_ARRAYS };
static const int PLACES[N_ARRAYS] = {0, 1, 3, 4, 5, 6};

/* Words of memory that a scene asks for; below zero: it is none. */
static int64_t scene_words(const Py_buffer *links, const Py_buffer *scene)
{
    const int64_t *robot = links->buf, *bodies = scene->buf;
    if (words(links) < N_SIZES || words(scene) < N_SIZES || robot[1] != words(links)
        || bodies[1] != words(scene))
        return -1;
    return dq_ik_scene_memory_size(links->buf, scene->buf);
}

/* Solve with open arrays, among the bodies of a scene where there is one. */
static PyObject *run_solve(Solver *self, Py_buffer *arrays, int64_t kind, double timeout)
{
    int in_scene = arrays[SCENE].buf != NULL, seeded = arrays[SEED].buf != NULL;
    int64_t status, more = in_scene ? scene_words(&arrays[LINKS], &arrays[SCENE]) : 0;
    if (words(&arrays[ANSWER]) != self->answer
        || (in_scene && words(&arrays[CONTACT]) != N_CONTACT)) {
        PyErr_SetString(PyExc_ValueError, "the array for the answer has another size");
        return NULL;
    }
    if (more < 0) {
        PyErr_SetString(PyExc_ValueError, "these blocks are no scene of this version");
        return NULL;
    }
    char *memory = malloc(self->memory + 8 * (size_t)more);
    if (!memory)
        return PyErr_NoMemory();
    double *own = (double *)memory, *placing = (double *)(memory + self->memory);
    Py_BEGIN_ALLOW_THREADS
    if (in_scene)
        status = dq_ik_solve_free(
            self->robot.buf, self->request.buf, 1, arrays[GOAL].buf, kind, 1, arrays[SEED].buf,
            seeded, timeout, arrays[LINKS].buf, arrays[SCENE].buf, arrays[ANSWER].buf,
            arrays[CONTACT].buf, 1, own, placing);
    else
        status = dq_ik_solve(
            self->robot.buf, self->request.buf, 1, arrays[GOAL].buf, kind, 1, arrays[SEED].buf,
            seeded, timeout, arrays[ANSWER].buf, 1, own);
    Py_END_ALLOW_THREADS
    free(memory);
    return PyLong_FromLongLong(status);
}

/*
 * solve(goal, seed or None, timeout, answer[, links, scene, contact]) -> status
 *
 * None: convert the goal or the seed first.
 */
static PyObject *solver_solve(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    Solver *self = (Solver *)object;
    Py_buffer arrays[N_ARRAYS];
    PyObject *result = NULL;
    if (count != 4 && count != 7) {
        PyErr_SetString(PyExc_TypeError, "solve takes goal, seed, timeout and an array, and for a "
                                         "scene links, scene and another array");
        return NULL;
    }
    double timeout = PyFloat_AsDouble(args[2]);
    if (PyErr_Occurred())
        return NULL;
    if (self->n_tips != 1)
        return none();
    int opened = 0, good = 1;
    for (; good && opened < (count == 7 ? N_ARRAYS : LINKS); opened += good) {
        int flags = opened == ANSWER || opened == CONTACT ? PyBUF_WRITABLE : 0;
        PyObject *array = args[PLACES[opened]];
        arrays[opened].buf = arrays[opened].obj = NULL;
        good = (opened == SEED && array == Py_None)
            || open_numbers(array, &arrays[opened], flags);
    }
    for (int k = opened; k < N_ARRAYS; k++)
        arrays[k].buf = arrays[k].obj = NULL;
    int64_t kind = opened > GOAL ? kind_of(&arrays[GOAL]) : -1;
    int seeded = opened > SEED && arrays[SEED].buf != NULL;
    if (opened <= SEED || kind < 0
        || (seeded && (arrays[SEED].ndim != 1 || words(&arrays[SEED]) != self->n)))
        result = none();
    else if (!good)
        PyErr_SetString(PyExc_TypeError, "an array for an answer is not writable, or a scene is "
                                         "no contiguous array of float64");
    else
        result = run_solve(self, arrays, kind, timeout);
    while (opened--)
        if (arrays[opened].obj)
            PyBuffer_Release(&arrays[opened]);
    return result;
}

static PyMethodDef solver_methods[] = {
    {"solve", (PyCFunction)(void (*)(void))solver_solve, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot solver_slots[] = {
    {Py_tp_new, solver_new}, {Py_tp_dealloc, solver_free}, {Py_tp_methods, solver_methods},
    {0, NULL}};
static PyType_Spec solver_spec = {
    "dq_ik.native.Solver", sizeof(Solver), 0, Py_TPFLAGS_DEFAULT, solver_slots};

/* --- the entries as they are ------------------------------------------------------------------- */

typedef union {
    Py_buffer buffer;
    long long integer;
    double number;
} Argument;

/* Read arguments by their letters: r, w addresses to read and write (None: none), i, d numbers. */
static int read_arguments(const char *letters, PyObject *const *args, Py_ssize_t count, Argument *out)
{
    Py_ssize_t wanted = (Py_ssize_t)strlen(letters);
    if (count != wanted) {
        PyErr_Format(PyExc_TypeError, "%zd arguments are needed, got %zd", wanted, count);
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        int good = 1;
        if (letters[k] == 'i') {
            out[k].integer = PyLong_AsLongLong(args[k]);
        } else if (letters[k] == 'd') {
            out[k].number = PyFloat_AsDouble(args[k]);
        } else if (args[k] == Py_None) {
            memset(&out[k].buffer, 0, sizeof out[k].buffer);
        } else {
            good = open_numbers(args[k], &out[k].buffer, letters[k] == 'w' ? PyBUF_WRITABLE : 0);
            if (!good)
                PyErr_Format(PyExc_TypeError, "argument %zd is no contiguous float64 array", k);
        }
        if (!good || PyErr_Occurred()) {
            while (k--)
                if ((letters[k] == 'r' || letters[k] == 'w') && out[k].buffer.obj)
                    PyBuffer_Release(&out[k].buffer);
            return -1;
        }
    }
    return 0;
}

static void release_arguments(const char *letters, Argument *arguments)
{
    for (size_t k = 0; letters[k]; k++)
        if ((letters[k] == 'r' || letters[k] == 'w') && arguments[k].buffer.obj)
            PyBuffer_Release(&arguments[k].buffer);
}

/* The function by which Python calls an entry, and its row in the table of functions. */
#define CALL(name, letters, ...) \
    static PyObject *call_##name(PyObject *self, PyObject *const *args, Py_ssize_t count) \
    { \
        Argument a[sizeof letters - 1]; \
        int64_t result; \
        if (read_arguments(letters, args, count, a) < 0) \
            return NULL; \
        Py_BEGIN_ALLOW_THREADS \
        result = dq_ik_##name(__VA_ARGS__); \
        Py_END_ALLOW_THREADS \
        release_arguments(letters, a); \
        return PyLong_FromLongLong(result); \
    }
#define ROW(name) {#name, (PyCFunction)(void (*)(void))call_##name, METH_FASTCALL, NULL}
#include "entries.h" /* generated: CALL for each entry, and their table `entries` */

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "dq_ik.native.door", NULL, -1, entries, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_door(void)
{
    if (!dq_ik_level()) {
        PyErr_SetString(PyExc_ImportError, "this library is for another kind of processor");
        return NULL;
    }
    meet_numpy();
    PyObject *self = PyModule_Create(&module);
    PyObject *robot = PyType_FromSpec(&robot_spec), *solver = PyType_FromSpec(&solver_spec);
    if (!self || !robot || !solver || PyModule_AddObject(self, "Robot", robot) < 0
        || PyModule_AddObject(self, "Solver", solver) < 0
        || PyModule_AddStringConstant(self, "digest", dq_ik_digest()) < 0
        || PyModule_AddStringConstant(self, "level", dq_ik_level()) < 0)
        return NULL;
    return self;
}
