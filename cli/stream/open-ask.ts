import { filter, firstValueFrom } from "rxjs";
import type { Clock } from "../../actors/index.ts";
import type { Task, TypedAsk } from "../../runtime/index.ts";

/** The ask that the task waits on, or the next one, if it opens within `ms`. */
export async function openAsk(task: Task, ms: number, clock: Clock): Promise<TypedAsk | undefined> {
  return task.asks.at(-1) ?? within(ms, firstValueFrom(task.asks$.pipe(filter(stops))), clock);
}

const stops = ({ kind }: TypedAsk): boolean => kind !== "command_output";

/** The value, or nothing if it doesn't come in time. */
function within<T>(ms: number, value: Promise<T>, clock: Clock): Promise<T | undefined> {
  return new Promise((resolve) => {
    const forget = clock.after(ms, () => resolve(undefined));
    const settle = (result: T | undefined): void => {
      forget();
      resolve(result);
    };
    value.then(settle, () => settle(undefined));
  });
}
