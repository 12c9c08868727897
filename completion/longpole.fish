# fish completion for longpole
# SPDX-License-Identifier: BSD-3-Clause

set -l commands analyze path parallelism doctor
set -l readers analyze path parallelism
set -l in_command "__fish_seen_subcommand_from $commands"

complete -c longpole -f
complete -c longpole -n "not $in_command" -s h -l help -d 'List the commands'
complete -c longpole -n "not $in_command" -l version -d 'Print the version'
complete -c longpole -n "not $in_command" -a analyze -d 'The verdict on a trace'
complete -c longpole -n "not $in_command" -a path -d 'Critical path with Slack and Logical Zeroing'
complete -c longpole -n "not $in_command" -a parallelism -d 'Average parallelism, profile and shape'
complete -c longpole -n "not $in_command" -a doctor -d 'What can be read and measured on this machine'

# What every command takes
complete -c longpole -n "$in_command" -l json -d 'One JSON object on stdout and nothing else'
complete -c longpole -n "$in_command" -s o -l output -r -F -d 'Write there instead of stdout'
complete -c longpole -n "__fish_seen_subcommand_from $readers" -l top -x -d 'Rows of a table at most'
complete -c longpole -n "__fish_seen_subcommand_from $readers" -l threads -x -d 'Threads to work with'
complete -c longpole -n "__fish_seen_subcommand_from $readers" -l salvage -d 'Read what is left of a damaged trace'
complete -c longpole -n "$in_command" -l color -x -a 'auto always never' -d 'Colours'
complete -c longpole -n "__fish_seen_subcommand_from $readers" -s q -l quiet -d 'No progress on stderr'
complete -c longpole -n "__fish_seen_subcommand_from $readers" -s v -l verbose -d 'Say more'
complete -c longpole -n "$in_command" -s h -l help -d 'Describe the options'

# An input: directories and files
complete -c longpole -n "__fish_seen_subcommand_from $readers" -F

# Their own options
complete -c longpole -n '__fish_seen_subcommand_from path' -l segments -d 'Pieces of the path and slack segments'
complete -c longpole -n '__fish_seen_subcommand_from path' -l tight -d 'Slack by all pairs of critical points'
complete -c longpole -n '__fish_seen_subcommand_from parallelism' -l count -x -a 'work all' -d 'What is counted'
complete -c longpole -n '__fish_seen_subcommand_from parallelism' -l place -x -a 'earliest latest' -d 'Where they stand'
