import { modelConformance } from "../../../testing/model-conformance.ts";
import { providerModels } from "../../support/dialects/provider-models.ts";

/** Run the conformance of the providers' models with the packages that this process resolves: a line for each case. */
for (const [model, under] of Object.entries(providerModels))
  for (const { title, run } of modelConformance(under)) {
    const problem = await run().then(
      () => null,
      (error: unknown) => String(error),
    );
    console.log(JSON.stringify({ model, title, problem }));
  }
