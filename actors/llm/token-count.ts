import type { Entry } from "../../machines/conversation/entry.ts";
import { isAmount } from "../../machines/message/request.ts";
import type { Clock } from "../../ports/clock.ts";
import {
  createRequest,
  modelOf,
  type RequestEnvironment,
  type RequestedHead,
  type RequestedModel,
} from "./request-actor.ts";

/** Number of input tokens of a request, as its endpoint counts them. Undefined where it does not, or not in time. */
export async function countTokens(
  environment: RequestEnvironment,
  messages: readonly Entry[],
  requested: RequestedModel & RequestedHead,
  clock: Clock,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { countTimeoutMs = 10_000 } = environment.llm ?? {};
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  // A model may ignore its signal.
  const isOver = new Promise<undefined>((resolve) => {
    abort.signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const count = async () =>
    modelOf(environment, requested).countTokens?.(
      await createRequest(environment, messages, requested),
      abort.signal,
    );
  signal.addEventListener("abort", stop, { once: true });
  const cancel = clock.after(countTimeoutMs, stop);
  try {
    const tokens = await Promise.race([count(), isOver]);
    return isAmount(tokens) ? tokens : undefined;
  } catch {
    // A wrong key or a broken connection is reported by the next request.
    return undefined;
  } finally {
    cancel();
    signal.removeEventListener("abort", stop);
  }
}
