package explain
