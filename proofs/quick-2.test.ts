import { testQuickProofs } from "./quick.ts";

testQuickProofs(1, "tested");
