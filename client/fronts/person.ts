import type { AnswerResult } from "../../actors/index.ts";
import type { TypedAsk } from "../typed-ask.ts";
import type { AskContext } from "./ask-handlers.ts";
import type { PromptManager, PromptReply } from "./prompt-manager.ts";
import { type Reading, readChoice, readText, readYesNo, value } from "./readings.ts";

/** What a person's words to an ask come to. */
type Act = () => AnswerResult | undefined;

const leave: Act = () => undefined;

/** Asks a person, and gives what their words come to; undefined where they gave none. */
export async function askPerson(
  ask: TypedAsk,
  prompts: PromptManager,
  { signal }: AskContext,
): Promise<PromptReply<Act> | undefined> {
  const put = (question: string, read: (line: string) => Reading<Act>, byDefault?: Act) =>
    prompts.ask(question, read, { signal, ...(byDefault !== undefined && { default: byDefault }) });
  switch (ask.kind) {
    case "tool":
    case "command":
    case "use_mcp_server":
    case "browser_action_launch":
      return put(
        ask.kind === "command"
          ? "Run it? (y/N, or what to do instead) "
          : "Allow it? (y/N, or what to do instead) ",
        yesNoOr(
          () => ask.approve(),
          () => ask.reject(),
          (text) => ask.reject({ text }),
        ),
        () => ask.reject(),
      );
    case "followup": {
      const question = ask.suggestions.length > 0 ? "A number, or an answer of your own: " : "Your answer: ";
      return put(
        question,
        then(readChoice(ask.suggestions, true), (text) => () => ask.reply(text)),
      );
    }
    case "completion_result":
      return put(
        "Enter to accept, or what is missing: ",
        then(readText, (text) => () => ask.reply(text)),
        () => ask.accept(),
      );
    case "api_req_failed":
      return put(
        "Try again? (y/N) ",
        yesNo(
          () => ask.retry(),
          () => ask.decline(),
        ),
        () => ask.decline(),
      );
    case "mistake_limit_reached":
      return put(
        "Go on? (y/N, or what to do differently) ",
        yesNoOr(
          () => ask.proceed(),
          () => ask.decline(),
          (text) => ask.reply(text),
        ),
        () => ask.decline(),
      );
    case "auto_approval_max_req_reached":
      return put(
        "Go on? (y/N) ",
        yesNo(
          () => ask.proceed(),
          () => ask.decline(),
        ),
        () => ask.decline(),
      );
    case "resume_task":
      return put(
        "Resume it? (y/N) ",
        yesNo(() => ask.resume(), leave),
        leave,
      );
    case "resume_completed_task":
      return put(
        "What is to be done next? ",
        then(readText, (text) => () => ask.reply(text)),
        leave,
      );
    case "command_output":
      return undefined;
  }
}

const then =
  <T>(read: (line: string) => Reading<T>, to: (of: T) => Act) =>
  (line: string): Reading<Act> => {
    const reading = read(line);
    return reading.kind === "value" ? value(to(reading.value)) : reading;
  };

const yesNo = (yes: Act, no: Act) => then(readYesNo, (isYes) => (isYes ? yes : no));

/** Other words are an answer too. */
const yesNoOr =
  (yes: Act, no: Act, other: (text: string) => AnswerResult) =>
  (line: string): Reading<Act> => {
    const reading = yesNo(yes, no)(line);
    return reading.kind === "value" || line.trim() === "" ? reading : value(() => other(line.trim()));
  };
