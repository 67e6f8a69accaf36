"""The check of a machine: a snapshot of it, facts read from that, rules over the facts, the gate.

Nothing here needs PaddlePaddle, but for the child processes (`probe`, the self-test). Data flows
one way: `live` or `recorded` -> `snapshot` -> `facts` -> `rules` -> `choice` -> `gate` -> a
`Report`. No rule touches /sys, /proc or /dev: `live` and `kernel_log` do, so that a recorded
machine is judged exactly as its owner's Danqing would judge it; and the self-test reads its card's
sensors while it works, which no snapshot could hold.
"""
