//! The bundled MCP reference server.
