import type { TypedAsk } from "../../runtime/index.ts";
import { type Act, leave, type PersonsAsk, readAnswer } from "./ask-answers.ts";
import type { AskContext } from "./ask-handlers.ts";
import type { PromptManager, PromptReply } from "./prompt-manager.ts";

/** How an ask is put: the question, and what an empty line means, or an input that ends. */
interface Put {
  readonly question: string;
  readonly default?: Act;
}

/** Asks a person, and gives what their words come to; undefined for an ask that waits for nobody. */
export async function askPerson(
  ask: TypedAsk,
  prompts: PromptManager,
  { signal }: AskContext,
): Promise<PromptReply<Act> | undefined> {
  if (ask.kind === "command_output") return undefined;
  const { question, ...rest } = putOf(ask);
  return prompts.ask(question, (line) => readAnswer(ask, line), { signal, ...rest });
}

function putOf(ask: PersonsAsk): Put {
  switch (ask.kind) {
    case "tool":
    case "use_mcp_server":
    case "browser_action_launch":
      return { question: "Allow it? (y/N, or what to do instead) ", default: () => ask.reject() };
    case "command":
      return { question: "Run it? (y/N, or what to do instead) ", default: () => ask.reject() };
    case "followup":
      return {
        question: ask.suggestions.length > 0 ? "A number, or an answer of your own: " : "Your answer: ",
      };
    case "completion_result":
      return { question: "Enter to accept, or what is missing: ", default: () => ask.accept() };
    case "api_req_failed":
      return { question: "Try again? (y/N) ", default: () => ask.decline() };
    case "mistake_limit_reached":
      return { question: "Go on? (y/N, or what to do differently) ", default: () => ask.decline() };
    case "auto_approval_max_req_reached":
      return { question: "Go on? (y/N) ", default: () => ask.decline() };
    case "resume_task":
      return { question: "Resume it? (y/N, or what to say along with it) ", default: leave };
    case "resume_completed_task":
      return { question: "What is to be done next? ", default: leave };
  }
}
