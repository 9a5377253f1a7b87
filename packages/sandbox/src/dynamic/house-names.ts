/**
 * Names of tools that a rig, a loop or a server may have of its own, whether this one does or not: who calls one of them
 * relies on what it does.
 */
export const HOUSE_NAMES: ReadonlySet<string> = new Set([
  ...["run_code", "new_tool", "unregister_tool", "list_dynamic_tools", "show_tool_source"],
  ...["read_result", "ask_user", "find_tools", "call_tool", "check_call", "cancel_call"],
  ...["mcp_list", "mcp_connect", "mcp_disconnect"],
]);
