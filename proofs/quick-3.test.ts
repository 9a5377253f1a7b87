import { testQuickProofs } from "./quick.ts";

testQuickProofs(2, "tested");
