//! A conformance harness for Model Context Protocol servers that run as a command and speak over stdio.
