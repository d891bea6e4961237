"""How far labels of several sources, such as language models, agree with people and with each other.

Plain arithmetic on matrices of labels: nothing here reads a file or knows a run.
"""
