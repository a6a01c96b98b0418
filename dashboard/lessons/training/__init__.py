"""The sections of the training page.

plan_controls  the task and the settings of the next run
run_controls   buttons, queue and progress of the run that is shown
checkpoints    which checkpoint is shown, and its player
attention      attention and outputs of the example at that checkpoint
curves         loss, accuracy and gradients
prediction     the question before the first run
view           all of these, repeated every second while a run is being trained
"""
