local prompt = test.command("handover", "Ada").prompt
assert(prompt:find("hand%-over to Ada"))
assert(prompt:find("what to watch", 1, true))
assert(test.command("handover").prompt:find("the next who is on call", 1, true))
