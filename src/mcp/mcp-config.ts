import type { Env } from '../config.ts'
import type { McpConfig } from './types.ts'

/**
 * Reads MCP_CONFIG's file: `{"mcpServers": {"name": {"command", "args", "env", "cwd"} | {"type", "url", "headers"}}}` with keys of
 * ours (README). `${VAR}` and `${VAR:-default}` are filled from `env`.
 * @throws ConfigError with one sentence a line, each with the file, the server and the key.
 */
export declare function loadMcpConfig(file: string, env: Env): McpConfig
