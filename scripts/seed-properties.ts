/** Property tests draw the same cases every time, unless TOOLRIG_SEED names another seed. */
import { configureGlobal } from "fast-check";

configureGlobal({ seed: Number(process.env.TOOLRIG_SEED ?? 20_260_101) });
