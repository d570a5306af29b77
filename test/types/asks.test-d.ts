// Checked by the compiler: `@ts-expect-error` fails where there is no error.
import type { Ask } from "../../index.ts";

declare const ask: Ask;

// An ask of an unknown kind has no answers in common.
// @ts-expect-error
ask.approve();
// @ts-expect-error
ask.answer("Yes");

/** The kind narrows an ask to the answers that it takes. */
export function answer(): unknown {
  switch (ask.kind) {
    case "tool":
    case "command":
    case "use_mcp_server":
    case "browser_action_launch":
      // @ts-expect-error
      ask.answer("Yes");
      // @ts-expect-error: a task in another process has no arguments.
      ask.tool.input satisfies object;
      ask.tool?.input satisfies object | undefined;
      ask.paths satisfies readonly { readonly path: string; readonly inside: boolean }[];
      return ask.approve({ text: "Only this once" });
    case "followup":
      // @ts-expect-error
      ask.approve();
      return ask.answer(ask.suggestions[0]?.answer ?? ask.question);
    case "command_output":
      // @ts-expect-error
      ask.answer("Stop");
      return ask.reject();
    case "completion_result":
      ask.result satisfies string;
      return [ask.approve(), ask.reject(), ask.answer("Add a test")];
    case "api_req_failed":
      return [ask.approve(), ask.reject()];
    case "mistake_limit_reached":
      return [ask.approve(), ask.reject(), ask.answer("Read the file first")];
    case "auto_approval_max_req_reached":
      // @ts-expect-error
      ask.answer("Continue");
      return ask.approve();
    case "resume_task":
      // @ts-expect-error
      ask.decline();
      return ask.approve();
    case "resume_completed_task":
      // @ts-expect-error
      ask.resume();
      return ask.answer("Add a test");
    default:
      // Every kind is handled.
      return ask satisfies never;
  }
}
