# --- Dicts -----------------------------------------------------------------------------------------------------------
from cpython.dict cimport PyDict_Next
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.object cimport PyObject

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    bint PyUnicode_CheckExact(object text)
    bint PyFloat_Check(object number)
    bint PyLong_CheckExact(object number)
    double PyLong_AsDouble(object number) except? -1.0

cdef inline bint _is_inner(uint8_t byte) noexcept:
    """Whether an id may begin or end with it without a closer look: no white space of Python's, and ASCII."""
    return 32 < byte < 128

def pack_rankings(list rankings):
    """Columns of dicts with scores of documents; None where something in them needs a closer look."""
    cdef int64_t row = 0, byte = 0, room, rows = 0, ranking
    cdef Py_ssize_t at, size
    cdef PyObject* key
    cdef PyObject* value
    cdef const char* text
    for inner in rankings:
        if type(inner) is not dict:
            return None
        rows += len(inner)
    cdef int64_t[::1] offsets = np.empty(rows + 1, np.int64), row_offsets = np.empty(len(rankings) + 1, np.int64)
    cdef double[::1] scores = np.empty(rows, np.float64)
    room = 24 * rows + 16
    blob = np.empty(room, np.uint8)
    cdef uint8_t[::1] to = blob
    offsets[0], row_offsets[0] = 0, 0
    for ranking in range(len(rankings)):
        inner, at = rankings[ranking], 0
        while PyDict_Next(inner, &at, &key, &value):
            if row == rows or not PyUnicode_CheckExact(<object>key):
                return None
            try:
                text = PyUnicode_AsUTF8AndSize(<object>key, &size)
                if PyFloat_Check(<object>value):
                    scores[row] = PyFloat_AS_DOUBLE(<object>value)
                elif PyLong_CheckExact(<object>value):
                    scores[row] = PyLong_AsDouble(<object>value)
                else:
                    return None
            except (UnicodeEncodeError, OverflowError):
                return None
            if size == 0 or not (_is_inner(text[0]) and _is_inner(text[size - 1])) or not -INFINITY < scores[row] < INFINITY:
                return None
            if byte + size > room:
                room = 2 * (byte + size)
                larger = np.empty(room, np.uint8)
                larger[:byte] = blob[:byte]
                blob = larger
                to = blob
            memcpy(&to[byte], text, size)
            byte += size
            row += 1
            offsets[row] = byte
        row_offsets[ranking + 1] = row
    return blob[:byte], np.asarray(offsets)[: row + 1], np.asarray(scores)[:row], np.asarray(row_offsets)
