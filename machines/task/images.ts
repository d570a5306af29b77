import { assertEvent } from "xstate";
import { entriesWithImages, withoutImages } from "../conversation/images.ts";
import type { Change } from "./change.ts";
import { replaceEntries } from "./condensing.ts";
import type { TaskContext } from "./task.context.ts";
import type { Failure } from "./task.events.ts";

/** The code of a failure that says that the endpoint cannot use an image. */
const IMAGE_REFUSED = "image_refused";

/** Whether a request is sent again without images: once, since none is left afterwards. */
export const mayReplaceImages = ({ conversation }: TaskContext, { code }: Failure): boolean =>
  code === IMAGE_REFUSED && entriesWithImages(conversation) > 0;

/** Replaces all images of the conversation by a text that says why. The messages that people see keep theirs. */
export function replaceImages(change: Change): void {
  const { event } = change;
  assertEvent(event, ["llm.failed", "condense.failed"]);
  const { message } = event.failure;
  replaceEntries(change, withoutImages(change.context.conversation, message));
  change.append({
    type: "say",
    say: "error",
    text: `The endpoint refused an image, so the images of the conversation are left out: ${message}`,
  });
}
