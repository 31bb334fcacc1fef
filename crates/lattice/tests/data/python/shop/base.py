class Base:
    def __init__(self):
        self.note("made")

    def note(self, text):
        pass
