// refused, MSL-memory: `load_memory` is not written as MSL
